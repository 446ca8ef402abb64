import type { Chunk } from '../knowledge/index.js';
import type { EntryStore } from './store.js';
import type { CoreEntry, EntryType, Playbook, Term, Warning } from './types.js';

/** How many entries are in force, by type. */
export function countsOf({ terms, warnings, playbooks, knowledge }: EntryStore): {
  terms: number;
  warnings: number;
  playbooks: number;
  documents: number;
  chunks: number;
} {
  return {
    terms: terms.byId.size,
    warnings: warnings.byId.size,
    playbooks: playbooks.byId.size,
    documents: knowledge.documents.length,
    chunks: knowledge.chunks.length,
  };
}

/** The entry of an id (a chunk's id for knowledge), if it is in force. */
export function entryOf(
  { terms, warnings, playbooks, knowledge }: EntryStore,
  id: string,
): { type: EntryType; entry: Term | Warning | Playbook | Chunk } | undefined {
  const term = terms.byId.get(id);
  if (term) return { type: 'term', entry: term };
  const warning = warnings.byId.get(id);
  if (warning) return { type: 'warning', entry: warning };
  const playbook = playbooks.byId.get(id);
  if (playbook) return { type: 'playbook', entry: playbook };
  const chunk = id.includes('#') ? knowledge.chunks.find((candidate) => candidate.id === id) : undefined;
  return chunk && { type: 'knowledge', entry: chunk };
}

/** Everything in force, documents of knowledge whole. */
export function entriesOf({ terms, warnings, playbooks, knowledge }: EntryStore): CoreEntry[] {
  return [
    ...[...terms.byId.values()].map((entry) => ({ type: 'term' as const, entry })),
    ...[...warnings.byId.values()].map((entry) => ({ type: 'warning' as const, entry })),
    ...[...playbooks.byId.values()].map((entry) => ({ type: 'playbook' as const, entry })),
    ...knowledge.documents.map((entry) => ({ type: 'knowledge' as const, entry })),
  ];
}
