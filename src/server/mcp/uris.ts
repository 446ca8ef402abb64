import type { EntryType } from '../../zhcore/index.js';

/** Kinds of entries that can be read as resources, in the order of lists. */
export const RESOURCE_TYPES: readonly EntryType[] = ['playbook', 'term', 'warning', 'knowledge'];

/** How entries of each kind are called. */
export const CALLED: Record<EntryType, string> = {
  term: '术语',
  playbook: '流程模板',
  warning: '警示',
  knowledge: '知识',
};

/** `xihe://term/order-state`. Slashes of an id stay: ids of documents are paths. */
export function uriOf(type: EntryType, id: string): string {
  return `xihe://${type}/${id.split('/').map(encodeURIComponent).join('/')}`;
}

/** The kind and id that an address names; undefined for what is none of ours. Chinese may stand in it as it is. */
export function parseUri(uri: string): { type: EntryType; id: string } | undefined {
  const [, kind, rest] = /^xihe:\/\/([a-z]+)\/(.+)$/su.exec(uri) ?? [];
  const type = RESOURCE_TYPES.find((known) => known === kind);
  if (type === undefined || rest === undefined) return undefined;
  try {
    return { type, id: decodeURIComponent(rest) };
  } catch {
    return undefined;
  }
}

/** The address of a document by the file that answers name: `.xihe/knowledge/payment/errors.md`. */
export function documentUri(source: string): string {
  return uriOf('knowledge', source.replace(/^(?:\.xihe\/)?knowledge\//, ''));
}
