export { openServed, ServedProject } from './project.js';
export { openProjects, type ProjectEvent, type ProjectState, Projects, type ProjectsOptions } from './projects.js';
