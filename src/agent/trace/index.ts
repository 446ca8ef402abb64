import { fileHistory } from '../../sandbox/index.js';
import type { Project } from '../project.js';
import type { ThreadView } from '../session.js';
import { blame } from './blame.js';
import { stepsOf, type TraceStep } from './steps.js';

export type { TraceStep } from './steps.js';

/** A line that the run wrote, and where it came from. */
export interface LineOrigin {
  path: string;
  /** 1-based, in the file as the changeset leaves it. */
  line: number;
  text: string;
  /** The tool call that wrote it; null when a person wrote it at confirm. */
  call: string | null;
  /** The step that made the call; null for a person's own edit. */
  step: number | null;
}

export interface RunTrace {
  steps: TraceStep[];
  /** Every line that the changeset added or changed, by file and number. */
  lines: LineOrigin[];
}

/** Leads from every changed line of a thread's newest change to the step behind it. Reads only. */
export function traceOf({ state }: ThreadView, project: Project): RunTrace {
  const steps = stepsOf(state);
  const stepOfCall = new Map(steps.flatMap(({ step, calls }) => calls.map(({ id }) => [id, step] as const)));
  const id = state.changesetId;
  if (id === null) return { steps, lines: [] };
  const files = project.changeset(id).list();
  const lines = files.flatMap(({ path }) =>
    blame(fileHistory(project.layout.stateDir, id, path)).flatMap(({ line, text, key }) => {
      if (key === null) return [];
      const step = stepOfCall.get(key) ?? null;
      return [{ path, line, text, call: step === null ? null : key, step }];
    }),
  );
  return { steps, lines };
}
