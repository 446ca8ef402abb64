import type { KnowledgeDocument } from '../../../knowledge/index.js';
import { repoFile } from '../../upkeep/stale.js';
import type { LintModel } from '../model.js';
import type { Finding, LintEntry, Page, Rule } from '../types.js';

/** Characters of a run that are too many to be the same by chance: Chinese ones, or any. */
const HAN_MIN = 40;
const ANY_MIN = 120;
/** Pieces by which runs are found. Every run of 40 holds one that starts at a multiple of `STEP` (40 ≥ 20 + 20 − 1). */
const PIECE = 20;
const STEP = 20;

/** Licenses under which a text may be taken as it is; it is still a second place to keep true. */
const FREE = /^(?:CC0|CC-BY|MIT|Apache|BSD|Unlicense|public)/i;

const copied: Rule = {
  id: 'XL601',
  name: 'copied-text',
  level: 'warning',
  title: '整段照抄了已知的页面',
  help: '连着 40 个汉字或 120 个字符和页面一字不差。知识要用自己的话写：事实、结论、不这样做会怎样；原文留给 source。抄的是本项目自己的文档时只提示：同一段话两处维护，改一处会忘了另一处。',
  check(model) {
    const { pages = [] } = model.options;
    if (pages.length === 0) return [];
    const index = new PageIndex(pages);
    return textsOf(model).flatMap(({ entry, text, line, license }) => {
      const run = index.longestRun(text, (page) => !isSource(entry, page));
      return run === undefined ? [] : [toFinding(model, entry, line, license, run)];
    });
  },
};

function toFinding(model: LintModel, entry: LintEntry, line: number, license: string | undefined, run: Run): Finding {
  const same = `和 ${run.page.name} 连续 ${run.text.length} 个字符一字不差（「${[...run.text].slice(0, 12).join('')}…」）`;
  if (run.page.own) return model.at(copied, entry, `${same}：写结论，让 source 指向它`, { line, level: 'note' });
  const free = license !== undefined && FREE.test(license);
  return model.at(copied, entry, `${same}：换成自己的话`, { line, level: free ? 'note' : 'warning' });
}

interface Told {
  entry: LintEntry;
  text: string;
  line: number;
  license: string | undefined;
}

/** Prose of entries; code and sample data are the same wherever they are right. */
function textsOf({ layers }: LintModel): Told[] {
  return layers.flatMap(({ documents, chunks, terms, warnings, playbooks }) => {
    const byId = new Map<string, LintEntry<KnowledgeDocument>>(documents.map((document) => [document.id, document]));
    const prose = chunks
      .filter(({ kind }) => kind === 'prose')
      .flatMap(({ documentId, content, line, provenance }) => {
        const entry = byId.get(documentId);
        return entry === undefined ? [] : [{ entry, text: content, line, license: provenance.license }];
      });
    const told = <E extends { provenance: { license?: string } }>(
      list: readonly LintEntry<E>[],
      text: (e: E) => string,
    ) =>
      list.map((entry) => ({
        entry,
        text: text(entry.entry),
        line: entry.line,
        license: entry.entry.provenance.license,
      }));
    return [
      ...prose,
      ...told(terms, ({ note }) => note ?? ''),
      ...told(warnings, ({ danger }) => danger),
      ...told(playbooks, ({ steps, body }) => `${steps.join('\n')}\n${body}`),
    ];
  });
}

/** What says that it stands for a document of the project may say it in its words. */
function isSource({ source }: LintEntry, { name, own }: Page): boolean {
  return own === true && repoFile(source) === name;
}

/** A text that stands in an entry and in a page. */
interface Run {
  page: Page;
  text: string;
}

class PageIndex {
  private readonly pages: { page: Page; text: string }[];
  private readonly places = new Map<string, { page: number; at: number }[]>();

  constructor(pages: readonly Page[]) {
    this.pages = pages.map((page) => ({ page, text: lettersOf(plain(page.text)) }));
    for (const [i, { text }] of this.pages.entries()) {
      for (let at = 0; at + PIECE <= text.length; at += STEP) {
        const piece = text.slice(at, at + PIECE);
        const known = this.places.get(piece);
        if (known === undefined) this.places.set(piece, [{ page: i, at }]);
        else known.push({ page: i, at });
      }
    }
  }

  /** The longest run that is long enough to be a copy. */
  longestRun(told: string, counts: (page: Page) => boolean): Run | undefined {
    const text = lettersOf(told);
    let best: Run | undefined;
    let covered = 0;
    for (let at = 0; at + PIECE <= text.length; at++) {
      if (at < covered) continue;
      for (const place of this.places.get(text.slice(at, at + PIECE)) ?? []) {
        const { page, text: other } = this.pages[place.page] as { page: Page; text: string };
        if (!counts(page)) continue;
        const [from, to] = extend(text, at, other, place.at);
        const run = text.slice(from, to);
        if (isCopy(run) && run.length > (best?.text.length ?? 0)) best = { page, text: run };
        covered = Math.max(covered, to - PIECE);
      }
    }
    return best;
  }
}

/** How far two texts agree around a common piece: a range of the first. */
function extend(a: string, atA: number, b: string, atB: number): [number, number] {
  let before = 0;
  while (before < atA && before < atB && a[atA - before - 1] === b[atB - before - 1]) before++;
  let after = PIECE;
  while (atA + after < a.length && atB + after < b.length && a[atA + after] === b[atB + after]) after++;
  return [atA - before, atA + after];
}

function isCopy(run: string): boolean {
  return run.length >= ANY_MIN || (run.length >= HAN_MIN && (run.match(/\p{Script=Han}/gu)?.length ?? 0) >= HAN_MIN);
}

/** Letters and digits alone: line breaks, marks and their widths are no difference. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The text of an HTML page, and of Markdown without its code. */
function plain(text: string): string {
  const isHtml = /<(?:html|body|div|p|head)\b/i.test(text.slice(0, 5000));
  if (!isHtml) return text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, ' ');
  return text
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:nbsp|amp|lt|gt|quot|#\d+);/g, ' ');
}

export const copiedRules: readonly Rule[] = [copied];
