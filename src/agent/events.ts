/**
 * Typed events of a run, written to LangGraph's custom stream. The CLI reads them; so may any other client of the graph.
 * New kinds may be added; fields of a kind are never renamed.
 */
export type RunEvent =
  | { type: 'node.started'; node: string }
  | { type: 'node.finished'; node: string; ms: number }
  | { type: 'route.decided'; intents: { kind: string; text: string; layer: string; evidence: string }[] }
  /** A run for a comparison: what it does without, and whether it is told of every path. */
  | { type: 'run.reduced'; without: string[]; context: string }
  | {
      type: 'core.queried';
      asked: boolean;
      why: string;
      terms: number;
      knowledge: number;
      playbooks: number;
      warnings: number;
    }
  | { type: 'plan.made'; steps: number; focus: string[]; playbook: string | null }
  | { type: 'model.started'; turn: number }
  | { type: 'model.token'; text: string }
  | { type: 'model.finished'; turn: number; input: number; output: number; ms: number }
  | { type: 'model.retry'; attempt: number; reason: string }
  | { type: 'model.fallback'; from: string; to: string; reason: string }
  | { type: 'tool.started'; name: string; args: string }
  | { type: 'tool.finished'; name: string; ok: boolean; ms: number; summary: string }
  | { type: 'entry.injected'; id: string; entryType: string; phase: string; source: string }
  | { type: 'finding'; severity: string; text: string }
  | { type: 'tests.finished'; command: string; ok: boolean; ms: number }
  | { type: 'changes.applied'; receipt: string; files: string[] }
  | { type: 'progress'; text: string };

export type Emit = (event: RunEvent) => void;
