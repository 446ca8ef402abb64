import { stableHash } from '../text/index.js';
import { type Block, parseBlocks } from './markdown.js';
import { topicsOf } from './topics.js';
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
  const drafts = [...prose, ...codeDraftsOf(code, prose)];
  // Pieces of one long line have the same line: those of a kind stay in order.
  drafts.sort((a, b) => a.line - b.line || (a.kind === 'code' ? 1 : 0) - (b.kind === 'code' ? 1 : 0));
  const ids = new Map(drafts.map((draft, i) => [draft, `${doc.id}#${i + 1}`]));
  const linked = linksOf(drafts, ids);
  // What ships is written a subject a page, however short.
  const isPage = prose.length === 1 && doc.provenance.layer === 'project';
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
    ...topicsIn(draft, isPage),
    line: draft.line,
    endLine: draft.endLine,
    provenance: { ...doc.provenance, version: stableHash(draft.content), line: draft.line },
  }));
}

function topicsIn({ kind, content }: Draft, isPage: boolean): Pick<Chunk, 'topics'> {
  const topics = kind === 'code' ? [] : topicsOf(content, isPage);
  return topics.length === 0 ? {} : { topics };
}

/** Code → its prose and back, as chunk ids. */
function linksOf(drafts: readonly Draft[], ids: ReadonlyMap<Draft, string>): Map<Draft, string[]> {
  const links = new Map<Draft, string[]>();
  const link = (from: Draft, to: Draft) => {
    const known = links.get(from);
    if (known === undefined) links.set(from, [ids.get(to) as string]);
    else known.push(ids.get(to) as string);
  };
  for (const draft of drafts) {
    if (draft.near === undefined) continue;
    link(draft, draft.near);
    link(draft.near, draft);
  }
  return links;
}

/** The cheapest way to cut units into chunks, as index ranges. Dynamic programming from the front. */
function pack(units: readonly Unit[]): [number, number][] {
  const sizeOf = joinedSizes(units);
  // A document of tiny sentences has hundreds of ways to end a chunk at each of them: what they need is looked up once.
  const sizes = Int32Array.from(units, ({ text, join }) => text.length + join.length);
  const crossings = Float64Array.from(units, ({ path }, i) =>
    path === units[i - 1]?.path ? 0 : crossing(path.at(-1)?.level ?? 1),
  );
  const cuts = Float64Array.from(units, ({ cut }, i) => (i === 0 ? 0 : cut));
  const costs = new Float64Array(units.length + 1);
  const froms = new Int32Array(units.length + 1);
  for (let to = 1; to <= units.length; to++) {
    let least = Number.POSITIVE_INFINITY;
    let size = 0;
    let crossed = 0;
    for (let from = to - 1; from >= 0; from--) {
      size += sizes[from] as number;
      if (from + 1 < to) crossed += crossings[from + 1] as number;
      if (crossed > 0 && size <= CHUNK_MAX) size = sizeOf(from, to);
      if (size > CHUNK_MAX && from < to - 1) break;
      const cost = (costs[from] as number) + (SHORTNESS[size] ?? 0) + crossed + (cuts[from] as number);
      if (cost >= least) continue;
      least = cost;
      froms[to] = from;
    }
    costs[to] = least;
  }
  const ranges: [number, number][] = [];
  for (let to = units.length; to > 0; to = froms[to] as number) ranges.push([froms[to] as number, to]);
  return ranges.reverse();
}

/** What a chunk below {@link CHUNK_MIN} costs, by its size. */
const SHORTNESS = Float64Array.from({ length: CHUNK_MIN }, (_, size) => {
  const missing = (CHUNK_MIN - size) / CHUNK_MIN;
  return TOO_SHORT.fixed + TOO_SHORT.grows * missing ** 2;
});

function proseDraft(units: readonly Unit[]): Draft {
  const { content, common } = joined(units);
  const [first, last] = [units[0] as Unit, units.at(-1) as Unit];
  return { kind: 'prose', heading: joinPath(common), content: content.trim(), line: first.line, endLine: last.endLine };
}

/**
 * The length of what {@link joined} makes of units `from` to `to` (not included), without making it. A heading stands before the
 * first unit below it, whatever the range; only those of the first unit depend on the range, which must be asked from its end to the
 * front: the headings that all its units share are kept from one call to the next.
 */
function joinedSizes(units: readonly Unit[]): (from: number, to: number) => number {
  const shared = units.map((unit, i) => sharedPath(units[i - 1]?.path ?? [], unit.path));
  /** Up to each unit, all units with what stands before them. */
  const upTo = [0];
  for (const [i, { text, join, path }] of units.entries()) {
    const lines = headingLines(path, shared[i] as number);
    const before = i === 0 ? 0 : lines === 0 ? join.length : lines + 2 * '\n\n'.length;
    upTo.push((upTo[i] as number) + before + text.length);
  }
  /** Of each end asked for last, the headings shared from `at` on. */
  let last = { to: -1, at: -1, common: 0 };
  return (from, to) => {
    if (last.to !== to || last.at < from) last = { to, at: to - 1, common: (units[to - 1] as Unit).path.length };
    while (last.at > from) {
      last.common = Math.min(last.common, shared[last.at] as number);
      last.at -= 1;
    }
    const { text, path } = units[from] as Unit;
    const lines = headingLines(path, last.common);
    const rest = (upTo[to] as number) - (upTo[from + 1] as number);
    return (lines === 0 ? 0 : lines + '\n\n'.length) + text.length + rest;
  };
}

/** Characters of the headings of a path from one on, a line each. */
function headingLines(path: readonly HeadingRef[], from: number): number {
  let size = 0;
  for (let i = from; i < path.length; i++) {
    const { level, title } = path[i] as HeadingRef;
    size += level + 1 + title.length + (i > from ? 1 : 0);
  }
  return size;
}

/** Units as one text; headings below the common ones go into it. */
function joined(units: readonly Unit[]): { content: string; common: readonly HeadingRef[] } {
  const first = units[0] as Unit;
  const common = units.reduce<readonly HeadingRef[]>(
    (path, unit) => path.slice(0, sharedPath(path, unit.path)),
    first.path,
  );
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

/** How many headings two paths share from the top. */
function sharedPath(a: readonly HeadingRef[], b: readonly HeadingRef[]): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}

function joinPath(path: readonly HeadingRef[]): string {
  return path.map((h) => h.title).join(' › ');
}

/** The chunks of code blocks, each linked to the prose before it, else to the prose after it. Both are in the order of their lines. */
function codeDraftsOf(code: readonly { block: Block; path: HeadingRef[] }[], prose: readonly Draft[]): Draft[] {
  let before = 0;
  return code.flatMap(({ block, path }) => {
    while (before < prose.length && (prose[before] as Draft).line < block.line) before++;
    return codeDrafts(block, path, prose[Math.max(0, before - 1)]);
  });
}

/** A code block as one chunk, or several cut between lines. */
function codeDrafts(block: Block, path: readonly HeadingRef[], near: Draft | undefined): Draft[] {
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
