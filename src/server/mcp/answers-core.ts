import type { Chunk, LookupPart, LookupResult } from '../../knowledge/index.js';
import type { PathContext } from '../../paths/index.js';
import { estimateTokens, plainBlock, truncateToTokens } from '../../text/index.js';
import { missingSection } from '../../tools/builtin/core-tools.js';
import {
  type CodePlace,
  type CoreResult,
  type EntryType,
  type Hit,
  type Playbook,
  renderChunk,
  renderPlaybook,
  renderTerm,
  renderWarning,
  shownSource,
  type Term,
  titleOf,
  type Warning,
} from '../../zhcore/index.js';
import type { Answer, Part } from './fit.js';
import { CALLED, documentUri, uriOf } from './uris.js';

type AnyHit = Hit<Term | Chunk | Playbook | Warning>;

/** Hex digits of a version that are shown, as in every text of ours. */
export const VERSION_DIGITS = 7;
/** Of a passage beside other entries. Characters; the same as in the agent's own tool. */
const CHUNK_CHARS = 400;
/** What a passage takes beside its text (title, id, source), and the least of its text that says something. A character takes about a token. */
const HEAD_TOKENS = 80;
const LEAST_CHUNK = 120;
/** Share of a look-up that the exact document may take when there is a second one. */
const PRIMARY_SHARE = 0.65;
/** Sections of a document and other documents that are named beside it. */
const SECTIONS_SHOWN = 12;
const OTHERS_SHOWN = 3;
/** Places of one symbol that are named. */
const PLACES_SHOWN = 2;

/** The four lists. Terms say where their symbols stand, where the index is there already. */
export function answerOfCore(result: CoreResult, paths: PathContext | undefined): Answer {
  const lists: { type: EntryType; hits: AnyHit[] }[] = [
    { type: 'term', hits: result.terms },
    { type: 'playbook', hits: result.playbooks },
    { type: 'warning', hits: result.warnings },
    { type: 'knowledge', hits: result.knowledge },
  ];
  const parts = lists.map(({ hits }) => hits.map((hit) => partOf(hit, paths)));
  return {
    data: { data_version: result.dataVersion, ...(result.degraded ? { degraded: result.degraded } : {}) },
    after: [...(result.degraded ? [`（这次只按词查：${result.degraded}）`] : []), `（数据版本 ${result.dataVersion}）`],
    lists: [
      { name: 'terms', heading: '【术语】中文说法 → 代码里的名字', called: CALLED.term },
      { name: 'playbooks', heading: '【流程模板】命中即照做，一步不少', called: CALLED.playbook },
      { name: 'warnings', heading: '【警示】容易踩的坑', called: CALLED.warning },
      { name: 'knowledge', heading: '【知识】只在用得上时参考', called: CALLED.knowledge },
    ],
    // The best of each kind first: a long playbook must not cost the only warning its place.
    parts: inTurn(parts),
    none: '没有相关条目。换个说法再查；也可以直接用 lookup_file 找文件。',
    more: '调大 max_tokens（最多 4000）再查',
  };
}

/** The entry of a hit, as text and as data. */
export function partOf(hit: AnyHit, paths?: PathContext): Part {
  const { id } = hit.entry;
  const { version, confidence } = hit.provenance;
  const entry = { id, type: hit.type, version, source: shownSource(hit.provenance), confidence };
  return { ...shownPart(hit, paths), entry };
}

function shownPart(hit: AnyHit, paths?: PathContext): Part {
  const uri = uriOf(hit.type, hit.entry.id);
  const common = { id: hit.entry.id, ...provenanceOf(hit) };
  switch (hit.type) {
    case 'term': {
      const term = hit.entry as Term;
      const places = hit.places ?? placesOf(term, paths);
      return { list: 'terms', uri, text: renderTerm(term, places), data: { ...termData(term, places), ...common } };
    }
    case 'playbook': {
      const playbook = hit.entry as Playbook;
      return {
        list: 'playbooks',
        uri,
        text: renderPlaybook(playbook),
        data: { ...playbookData(playbook), ...common },
      };
    }
    case 'warning': {
      const warning = hit.entry as Warning;
      const must = warning.severity === 'block' ? { must: true } : {};
      return {
        list: 'warnings',
        uri,
        text: renderWarning(warning),
        data: { danger: warning.danger, ...must, ...common },
      };
    }
    case 'knowledge': {
      const chunk = hit.entry as Chunk;
      const cut = (chars: number): Part => ({
        list: 'knowledge',
        uri,
        text: renderChunk(chunk, chars),
        data: { title: titleOf(chunk), content: cutAt(plainBlock(chunk.content), chars), ...common },
      });
      const whole = cut(CHUNK_CHARS);
      const shorten = (tokens: number) => (tokens - HEAD_TOKENS < LEAST_CHUNK ? undefined : cut(tokens - HEAD_TOKENS));
      return { ...whole, shorten };
    }
  }
}

function placesOf(term: Term, paths: PathContext | undefined): CodePlace[] {
  if (paths === undefined) return [];
  return term.code_symbols.flatMap((symbol) =>
    paths
      .places(symbol)
      .slice(0, PLACES_SHOWN)
      .map((place) => ({ symbol, ...place })),
  );
}

function termData(term: Term, places: readonly CodePlace[]): Record<string, unknown> {
  const { keyword_ch, code_symbols, module, note, risk, provenance } = term;
  return {
    word: keyword_ch,
    symbols: code_symbols,
    ...(places.length > 0 ? { places: places.map(({ path, line }) => `${path}:${line}`) } : {}),
    ...(module ? { module } : {}),
    ...(note ? { note } : {}),
    ...(risk.length > 0 ? { risk } : {}),
    ...(provenance.status === 'candidate' ? { candidate: true } : {}),
  };
}

function playbookData({ title, required_checks, steps, post_checks }: Playbook): Record<string, unknown> {
  return {
    title,
    ...(required_checks.length > 0
      ? { checks: required_checks.map((c) => `${c.path ?? c.command}：${c.purpose}`) }
      : {}),
    steps,
    ...(post_checks.length > 0
      ? { post_checks: post_checks.map((c) => [c.purpose, c.command ?? c.path].filter(Boolean).join('：')) }
      : {}),
  };
}

function provenanceOf({ provenance }: AnyHit): { source: string; version: string; confidence: number } {
  const { version, confidence } = provenance;
  return { source: shownSource(provenance), version: version.slice(0, VERSION_DIGITS), confidence };
}

/** First of each list, then second of each … */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

/** The exact document and the passage near in meaning. @param maxTokens of the whole answer: a long document leaves room for the second */
export function answerOfLookup(result: LookupResult, dataVersion: string, maxTokens: number): Answer {
  const { primary, supplement, degraded_why: why } = result;
  const sections = primary?.sections?.slice(0, SECTIONS_SHOWN) ?? [];
  const others = primary?.others?.slice(0, OTHERS_SHOWN) ?? [];
  const found = [
    ...(primary ? [{ part: primary, how: '原文', exact: true }] : []),
    ...(supplement ? [{ part: supplement, how: '相关', exact: false }] : []),
  ];
  const [first, second] = found.map(({ part, how, exact }) => lookupPart(part, how, exact));
  return {
    data: {
      data_version: dataVersion,
      found: result.found,
      ...(why ? { degraded: why } : {}),
      ...(sections.length > 0 ? { sections } : {}),
      ...(others.length > 0 ? { others: others.map(({ title }) => title) } : {}),
    },
    after: [
      ...(sections.length > 0 ? [`可以用 section_title 只取一节：${sections.join('、')}`] : []),
      ...(others.length > 0 ? [`也提到它的文档：${others.map(({ title }) => title).join('、')}`] : []),
      ...(why ? [`（这次只按词查：${why}）`] : []),
      `（数据版本 ${dataVersion}）`,
    ],
    lists: [{ name: 'documents', called: '文档' }],
    parts: first === undefined ? [] : second === undefined ? [first] : [sharing(first, second, maxTokens), second],
    none: noneFound(result),
    more: '调大 max_tokens（最多 4000）再查',
  };
}

/** The first, shortened where both together would be too long. */
function sharing(first: Part, second: Part, maxTokens: number): Part {
  const size = (part: Part) => estimateTokens(JSON.stringify(part.data));
  const share = Math.max(maxTokens * PRIMARY_SHARE, maxTokens - size(second) - 200);
  return size(first) + size(second) + 200 <= maxTokens ? first : (first.shorten?.(share) ?? first);
}

function lookupPart(part: LookupPart, how: string, exact: boolean): Part {
  const whole = plainBlock(missingSection(part as NonNullable<LookupResult['primary']>) ?? part.content);
  const uri = documentUri(part.source);
  const cut = (tokens: number): Part => {
    const content = tokens === Number.POSITIVE_INFINITY ? whole : cutToTokens(whole, tokens);
    const isCut = content.length < whole.length;
    const see = isCut ? `（已截短，全文见资源 ${uri}，或用 section_title 只取一节）` : '';
    const data = {
      ...(part.title ? { title: part.title } : {}),
      exact,
      content,
      ...(isCut ? { cut: see } : {}),
      source: part.source,
      ...(part.origin && part.origin !== part.source ? { origin: part.origin } : {}),
      ...(part.version ? { version: part.version.slice(0, VERSION_DIGITS) } : {}),
      ...(part.confidence === undefined ? {} : { confidence: part.confidence }),
      ...(part.valid_until ? { valid_until: part.valid_until } : {}),
      ...(part.expired ? { expired: true } : {}),
    };
    return {
      list: 'documents',
      uri,
      text: `【${how}】${part.title ?? ''} ${sourceLine(part)}\n${content}${see}`,
      data,
    };
  };
  // Beside its text: title, sources, and the words about the cut.
  return { ...cut(Number.POSITIVE_INFINITY), shorten: (tokens) => cut(Math.max(0, tokens - 150)) };
}

/** `〔.xihe/knowledge/payment/errors.md，出自 … · a1b2c3d · 0.95〕` */
function sourceLine({ source, origin, version = '', confidence, valid_until: until, expired }: LookupPart): string {
  const from = origin && origin !== source ? `${source}，出自 ${origin}` : source;
  const limit = until ? ` · ${expired ? '已过期，' : ''}只适用到 ${until}` : '';
  return `〔${[from, version.slice(0, VERSION_DIGITS), confidence].filter((x) => x !== '' && x !== undefined).join(' · ')}${limit}〕`;
}

function noneFound({ nearest = [] }: LookupResult): string {
  const near = nearest.length > 0 ? `标题相近的有：${nearest.map(({ title }) => `《${title}》`).join('、')}。` : '';
  return `知识库里没有相关内容。不要编造，直接说没有查到。${near}`;
}

function cutAt(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${toSentence(text.slice(0, chars))}…（已截短）`;
}

function cutToTokens(text: string, tokens: number): string {
  // JSON writes a line end as two characters.
  const { text: begun, truncated } = truncateToTokens(text, Math.floor(tokens * 0.95));
  return truncated ? `${toSentence(begun)}…` : text;
}

/** Back to the last whole sentence or line, where that is not half of it. */
function toSentence(text: string): string {
  const end = Math.max(text.lastIndexOf('。'), text.lastIndexOf('\n'));
  return (end > text.length / 2 ? text.slice(0, end + 1) : text.replace(/[\ud800-\udbff]$/, '')).trimEnd();
}
