import type { CoreEntry } from '../types.js';

/** An entry as lists show it. */
export interface NamedEntry {
  type: CoreEntry['type'];
  id: string;
  /** A term's word, a document's or playbook's title, what a warning warns of. */
  title: string;
  layer: 'general' | 'project';
  /** As people find it: `.xihe/knowledge/terms/order.yaml`. */
  file: string;
  /** 1-based. */
  line: number;
}

/** Characters of a warning's text in a list. */
const TITLE_CHARS = 30;

/** Puts a name and a place to an entry. */
export function named(item: CoreEntry): NamedEntry {
  const { type, entry } = item;
  const { layer, file, line } = entry.provenance;
  return { type, id: entry.id, title: titleOf(item), layer, file: layer === 'project' ? `.xihe/${file}` : file, line };
}

function titleOf({ type, entry }: CoreEntry): string {
  if (type === 'term') return entry.keyword_ch;
  const title = type === 'warning' ? entry.danger : entry.title;
  const letters = [...title];
  return letters.length > TITLE_CHARS ? `${letters.slice(0, TITLE_CHARS).join('')}…` : title;
}
