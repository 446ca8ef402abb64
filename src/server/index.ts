/** The public face of the server room: the HTTP service and the projects that it serves. */
export { openApi } from './http/openapi.js';
export { type Service, type ServiceOptions, startService } from './http/service.js';
export {
  openProjects,
  type ProjectEvent,
  type ProjectState,
  Projects,
  type ProjectsOptions,
} from './projects/index.js';
