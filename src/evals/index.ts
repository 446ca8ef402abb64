/** The public face of the eval room: tasks, their proof, runs in arms, and what they say. */
export { ARMS, armsNamed, DEFAULT_ARMS, type EvalArm } from './arms.js';
export { type EvalOptions, type EvalProgress, type EvalRuns, Evaluation } from './evaluation.js';
export { toHtml } from './html.js';
export { toJUnit } from './junit.js';
export { proveTask, type TaskProof } from './lint.js';
export { toMarkdown } from './markdown.js';
export { changesSince, type EvalReport, REPORT_FILES, readBaseline, writeReport } from './report-files.js';
export { type EvalRun, evalRunSchema } from './result.js';
export { type Difference, mcNemar, pairedDifference } from './stats.js';
export { type EvalSummary, summarise } from './summary.js';
export { loadTasks, TASK_CLASSES, type Task } from './task.js';
