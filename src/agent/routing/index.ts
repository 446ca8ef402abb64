export { actsOf, trainedOn } from './classifier.js';
export { splitClauses } from './clauses.js';
export { loadSamples } from './data.js';
export { route, SIMILARITY_THRESHOLD } from './route.js';
export type {
  Intent,
  IntentKind,
  PreviousIntent,
  RouteDecision,
  RouteLayer,
  RouteOptions,
  Sample,
  TaskType,
} from './types.js';
