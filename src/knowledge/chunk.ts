import { stableHash } from '../text/index.js';
import { type Block, parseBlocks } from './markdown.js';
import type { Chunk, KnowledgeDocument } from './types.js';
import { CHUNK_MAX, CHUNK_MIN, type HeadingRef, hardSplit, type Unit, unitsOf } from './units.js';

/**
 * What a chunk below {@link CHUNK_MIN} costs, and more the shorter it is. Above every cut but a torn lead-in, so that short
 * neighbours merge wherever they fit into {@link CHUNK_MAX}.
 */
const TOO_SHORT = { fixed: 4, grows: 16 } as const;

/** What it costs to have a heading inside a chunk: more for a main section than for a small one. */
const crossing = (level: number) => (level <= 2 ? 1 : 0.6);

/** A chunk before it gets its id. */
interface Draft {
  kind: 'prose' | 'code';
  heading: string;
  content: string;
  line: number;
  endLine: number;
  /** Of code, the prose it belongs to. */
  near?: Draft;
}

/**
 * Cuts a document into chunks of 300–800 characters, each with a complete conclusion.
 *
 * Prose is cut at headings first, then between paragraphs, list items and sentences that really end; which of these cuts are
 * taken is the cheapest way over the whole document (`CUT` in units.ts says what a cut costs). Neighbours that are too short are merged, with their
 * headings inside. Code stays apart from prose; the two are linked. A document below 300 characters is one chunk.
 */
export function chunkDocument(doc: KnowledgeDocument): Chunk[] {
  const { units, code } = unitsOf(parseBlocks(doc.body, doc.bodyLine));
  const prose = pack(units).map(([from, to]) => proseDraft(units.slice(from, to)));
  const drafts = [...prose, ...code.flatMap(({ block, path }) => codeDrafts(block, path, prose))];
  // Pieces of one long line have the same line: those of a kind stay in order.
  drafts.sort((a, b) => a.line - b.line || (a.kind === 'code' ? 1 : 0) - (b.kind === 'code' ? 1 : 0));
  const ids = new Map(drafts.map((draft, i) => [draft, `${doc.id}#${i + 1}`]));
  const linked = linksOf(drafts, ids);
  return drafts.map((draft) => ({
    id: ids.get(draft) as string,
    documentId: doc.id,
    title: doc.title,
    heading: draft.heading,
    content: draft.content,
    kind: draft.kind,
    linked: linked.get(draft) ?? [],
    keywords: doc.keywords,
    ...(doc.module === undefined ? {} : { module: doc.module }),
    line: draft.line,
    endLine: draft.endLine,
    provenance: { ...doc.provenance, version: stableHash(draft.content), line: draft.line },
  }));
}

/** Code → its prose and back, as chunk ids. */
function linksOf(drafts: readonly Draft[], ids: ReadonlyMap<Draft, string>): Map<Draft, string[]> {
  const links = new Map<Draft, string[]>();
  const link = (from: Draft, to: Draft) => links.set(from, [...(links.get(from) ?? []), ids.get(to) as string]);
  for (const draft of drafts) {
    if (draft.near === undefined) continue;
    link(draft, draft.near);
    link(draft.near, draft);
  }
  return links;
}

/** The cheapest way to cut units into chunks, as index ranges. Dynamic programming from the front. */
function pack(units: readonly Unit[]): [number, number][] {
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let to = 1; to <= units.length; to++) {
    let choice = { cost: Number.POSITIVE_INFINITY, from: to - 1 };
    let size = 0;
    let crossed = 0;
    for (let from = to - 1; from >= 0; from--) {
      const unit = units[from] as Unit;
      size += unit.text.length + unit.join.length;
      const next = units[from + 1];
      if (from + 1 < to && next !== undefined && next.path !== unit.path) {
        crossed += crossing(next.path.at(-1)?.level ?? 1);
      }
      // Which headings go into the text depends on both ends.
      if (crossed > 0 && size <= CHUNK_MAX) size = joined(units.slice(from, to)).content.length;
      if (size > CHUNK_MAX && from < to - 1) break;
      const cut = from === 0 ? 0 : unit.cut;
      const cost = (best[from] as { cost: number }).cost + shortness(size) + crossed + cut;
      if (cost < choice.cost) choice = { cost, from };
    }
    best.push(choice);
  }
  const ranges: [number, number][] = [];
  for (let to = units.length; to > 0; to = (best[to] as { from: number }).from) {
    ranges.push([(best[to] as { from: number }).from, to]);
  }
  return ranges.reverse();
}

function shortness(size: number): number {
  const missing = Math.max(0, CHUNK_MIN - size) / CHUNK_MIN;
  return missing === 0 ? 0 : TOO_SHORT.fixed + TOO_SHORT.grows * missing ** 2;
}

function proseDraft(units: readonly Unit[]): Draft {
  const { content, common } = joined(units);
  const [first, last] = [units[0] as Unit, units.at(-1) as Unit];
  return { kind: 'prose', heading: joinPath(common), content: content.trim(), line: first.line, endLine: last.endLine };
}

/** Units as one text; headings below the common ones go into it. */
function joined(units: readonly Unit[]): { content: string; common: readonly HeadingRef[] } {
  const first = units[0] as Unit;
  const common = units.reduce<readonly HeadingRef[]>((path, unit) => sharedPath(path, unit.path), first.path);
  let content = '';
  let shown: readonly HeadingRef[] = common;
  for (const unit of units) {
    const fresh = unit.path.filter((h, i) => i >= common.length && shown[i] !== h);
    if (fresh.length > 0) {
      const lines = fresh.map((h) => `${'#'.repeat(h.level)} ${h.title}`).join('\n');
      content += `${content === '' ? '' : '\n\n'}${lines}\n\n${unit.text}`;
    } else content += `${content === '' ? '' : unit.join}${unit.text}`;
    shown = unit.path;
  }
  return { content, common };
}

function sharedPath(a: readonly HeadingRef[], b: readonly HeadingRef[]): readonly HeadingRef[] {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return a.slice(0, n);
}

function joinPath(path: readonly HeadingRef[]): string {
  return path.map((h) => h.title).join(' › ');
}

/** A code block as one chunk, or several cut between lines; linked to the prose before it, else to the prose after it. */
function codeDrafts(block: Block, path: readonly HeadingRef[], prose: readonly Draft[]): Draft[] {
  const near = prose.findLast((draft) => draft.line < block.line) ?? prose[0];
  const drafts: Draft[] = [];
  let line = block.line;
  for (const content of codeParts(block.text)) {
    const endLine = Math.min(line + content.split('\n').length - 1, block.endLine);
    drafts.push({ kind: 'code', heading: joinPath(path), content, line, endLine, ...(near ? { near } : {}) });
    line = endLine + 1;
  }
  return drafts;
}

function codeParts(code: string): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let size = 0;
  for (const line of code.split('\n').flatMap((l) => hardSplit(l, CHUNK_MAX))) {
    if (size + line.length + 1 > CHUNK_MAX && part.length > 0) {
      parts.push(part.join('\n'));
      part = [];
      size = 0;
    }
    part.push(line);
    size += line.length + 1;
  }
  parts.push(part.join('\n'));
  return parts.filter((p) => p.trim() !== '');
}
