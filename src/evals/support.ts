import type { outputs } from '../agent/index.js';
import { splitStep } from './lint.js';
import type { Deciding } from './task.js';

/** One thing that decides a task, and where it stood in what was put before the model. */
export interface DecidingItem {
  kind: 'term' | 'knowledge' | 'warning' | 'step' | 'file';
  id: string;
  /** Place in its list, from 1; null where it was not there. */
  rank: number | null;
}

/** What a brief holds of what decides a task. */
export interface Support {
  items: DecidingItem[];
  /** Share of the items that are there, 0–1. */
  support: number;
  /** All of them are there. */
  whole: boolean;
  /** Tokens of the brief, by section. */
  tokens: number;
  by: Record<string, number>;
}

type RunJson = ReturnType<(typeof outputs.OUTPUT_SCHEMAS)['run / resume']['parse']>;
/** The lists that a run put before whoever does the work, and the ids of its injection ledger. */
export interface Shown {
  run: Pick<RunJson, 'terms' | 'knowledge' | 'playbooks' | 'warnings' | 'files' | 'tokens'>;
  injected: readonly { type: 'term' | 'knowledge' | 'playbook' | 'warning'; id: string }[];
}

/** Looks for everything that decides a task in what a run showed. */
export function supportOf(deciding: Deciding, { run, injected }: Shown): Support {
  const ids = (type: Shown['injected'][number]['type'], listed: readonly { id: string }[]) => [
    ...new Set([...listed.map(({ id }) => id), ...injected.filter((e) => e.type === type).map(({ id }) => id)]),
  ];
  const terms = ids('term', run.terms);
  const warnings = ids('warning', run.warnings);
  const knowledge = ids('knowledge', run.knowledge).map(documentOf);
  const files = run.files.map(({ path }) => path);
  const steps = run.playbooks.flatMap((playbook) => playbook.steps.map((text) => ({ playbook: playbook.id, text })));
  const items: DecidingItem[] = [
    ...deciding.terms.map((id) => ({ kind: 'term' as const, id, rank: place(terms.indexOf(id)) })),
    ...deciding.knowledge.map((id) => ({
      kind: 'knowledge' as const,
      id,
      rank: place(knowledge.indexOf(documentOf(id))),
    })),
    ...deciding.warnings.map((id) => ({ kind: 'warning' as const, id, rank: place(warnings.indexOf(id)) })),
    ...deciding.steps.map((id) => {
      const [playbook, words] = splitStep(id);
      const at = steps.findIndex((step) => step.playbook === playbook && step.text.includes(words));
      return { kind: 'step' as const, id, rank: place(at) };
    }),
    ...deciding.files.map((id) => ({ kind: 'file' as const, id, rank: place(files.indexOf(id)) })),
  ];
  const there = items.filter(({ rank }) => rank !== null).length;
  return {
    items,
    support: there / items.length,
    whole: there === items.length,
    tokens: run.tokens.total,
    by: run.tokens.by,
  };
}

/** A passage's document: the passage that answers may be any of it. */
function documentOf(id: string): string {
  return id.split('#')[0]!;
}

function place(index: number): number | null {
  return index < 0 ? null : index + 1;
}
