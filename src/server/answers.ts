import type { LookupResult } from '../knowledge/index.js';
import type { Expansion, FileCandidate, LookupMethod } from '../paths/index.js';
import type { CoreEntry, CoreResult, Hit, ZhCore } from '../zhcore/index.js';
import { fileOf } from '../zhcore/render.js';
import type { EntryAnswer, ExpandAnswer, FindAnswer, LookupAnswer, QueryAnswer } from './schemas.js';

/** What the rooms answer, as the documents of `schemas.ts`. */

type Provenance = Hit<unknown>['provenance'];

function originOf(provenance: Provenance) {
  const { source, layer, version, status, confidence } = provenance;
  return { source, file: fileOf(provenance), layer, version, status, confidence };
}

function foundOf(hit: Hit<unknown>) {
  return { ...originOf(hit.provenance), why: hit.why };
}

/** The four lists of a query. */
export function queryAnswerOf(r: CoreResult): QueryAnswer {
  return {
    data_version: r.dataVersion,
    ...(r.degraded === undefined ? {} : { degraded: r.degraded }),
    gate: r.gate,
    terms: r.terms.map((h) => ({
      id: h.entry.id,
      keyword_ch: h.entry.keyword_ch,
      code_symbols: h.entry.code_symbols,
      ...(h.entry.module ? { module: h.entry.module } : {}),
      ...(h.entry.note ? { note: h.entry.note } : {}),
      ...(h.entry.risk.length > 0 ? { risk: h.entry.risk } : {}),
      ...foundOf(h),
    })),
    knowledge: r.knowledge.map((h) => ({
      id: h.entry.id,
      title: h.entry.title,
      heading: h.entry.heading,
      excerpt: h.entry.content,
      ...foundOf(h),
    })),
    playbooks: r.playbooks.map((h) => ({ id: h.entry.id, title: h.entry.title, steps: h.entry.steps, ...foundOf(h) })),
    warnings: r.warnings.map((h) => ({ id: h.entry.id, danger: h.entry.danger, ...foundOf(h) })),
  };
}

/** A look-up beside the content that it was made of. */
export function lookupAnswerOf(r: LookupResult, dataVersion: string): LookupAnswer {
  return { data_version: dataVersion, ...r };
}

/** Which content an answer about files was made of. */
export interface Versions {
  data_version: string;
  tree_version: string;
}

/** Files for a request. */
export function findAnswerOf(
  query: string,
  found: { candidates: FileCandidate[]; method: LookupMethod; note?: string },
  versions: Versions,
): FindAnswer {
  return {
    ...versions,
    query,
    method: found.method,
    ...(found.note === undefined ? {} : { note: found.note }),
    files: found.candidates.map(({ path, score, why, summary }) => ({ path, score, why, summary })),
  };
}

/** One place of the tree. */
export function expandAnswerOf(text: string, expansion: Expansion, versions: Versions): ExpandAnswer {
  const { path, tokens, note, children, symbols, importsOut, importersIn, companions } = expansion;
  return {
    ...versions,
    path,
    text,
    tokens,
    ...(note === undefined ? {} : { note }),
    ...(children === undefined ? {} : { children }),
    ...(symbols === undefined ? {} : { symbols }),
    imports_out: importsOut,
    importers_in: importersIn,
    companions,
  };
}

/** An entry by its id: of knowledge a chunk (`payment/errors.md#2`) or the whole document; undefined when none is in force. */
export function entryAnswerOf(core: ZhCore, id: string): EntryAnswer | undefined {
  const known = core.entry(id);
  if (known?.type === 'knowledge' && 'content' in known.entry) {
    const { title, heading, content, module, provenance } = known.entry;
    return { ...headOf(core, 'knowledge', id, provenance), title, heading, content, ...(module ? { module } : {}) };
  }
  const entry = (known as CoreEntry | undefined) ?? core.entries().find((one) => one.entry.id === id);
  return entry && wholeOf(core, entry);
}

function headOf(core: ZhCore, type: CoreEntry['type'], id: string, provenance: Provenance) {
  return { data_version: core.dataVersion, type, id, ...originOf(provenance) };
}

function wholeOf(core: ZhCore, { type, entry }: CoreEntry): EntryAnswer {
  const head = { ...headOf(core, type, entry.id, entry.provenance), ...(entry.module ? { module: entry.module } : {}) };
  switch (type) {
    case 'term': {
      const { keyword_ch, aliases, code_symbols, note, risk } = entry;
      return { ...head, keyword_ch, aliases, code_symbols, risk, ...(note ? { note } : {}) };
    }
    case 'warning': {
      const { danger, severity, when } = entry;
      return { ...head, danger, severity, when };
    }
    case 'playbook': {
      const { title, trigger_keywords, steps, body } = entry;
      return { ...head, title, trigger_keywords, steps, content: body };
    }
    default:
      return { ...head, title: entry.title, content: entry.body };
  }
}
