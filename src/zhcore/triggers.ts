import { prepare, WordMatcher } from '../knowledge/index.js';
import { LooseMatcher } from './loose.js';
import { globMatches } from './modules.js';
import { byLength, type Focus, RELEVANCE, scoreOf } from './ranking.js';
import { SymbolReverse } from './symbols.js';
import type { TermMatch } from './terms.js';
import type { Playbook, TaskType, Warning } from './types.js';

/** A playbook or warning that a request calls for. */
export interface TriggerMatch<E> {
  entry: E;
  score: number;
  /** In Chinese. */
  why: string;
}

/** What a request gives the triggers to look at. */
export interface Request {
  /** Prepared. */
  text: string;
  symbols: readonly string[];
  files: readonly string[];
  focus: Focus;
  /** Terms found before: an alias in the request stands for its keyword. */
  terms: readonly TermMatch[];
}

type Offer<E> = (entry: E, relevance: number, why: string) => void;

/** Collects the best reason for each entry. */
function collect<E extends Playbook | Warning>(focus: Focus, fill: (offer: Offer<E>) => void): TriggerMatch<E>[] {
  const best = new Map<E, TriggerMatch<E>>();
  fill((entry, relevance, why) => {
    const score = scoreOf(relevance, entry, focus);
    if (score > (best.get(entry)?.score ?? 0)) best.set(entry, { entry, score, why });
  });
  return [...best.values()].sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1));
}

/** Keywords that words of a request stand for by way of terms: 「只退钱」 → 仅退款. */
export function termWords(terms: readonly TermMatch[], text: string): { keyword: string; word: string }[] {
  return terms
    .filter((match) => match.direct && prepare(match.term.keyword_ch) !== prepare(match.word))
    .map((match) => ({ keyword: prepare(match.term.keyword_ch), word: match.word }))
    .filter(({ keyword }) => !text.includes(keyword));
}

/** Finds playbooks by their trigger words. */
export class PlaybookIndex {
  private readonly words = new WordMatcher<Playbook>();
  private readonly loose = new LooseMatcher<Playbook>();

  constructor(playbooks: Iterable<Playbook>) {
    for (const playbook of playbooks) {
      for (const word of playbook.trigger_keywords) {
        this.words.add(word, playbook);
        this.loose.add(prepare(word), word, playbook);
      }
    }
  }

  /** @param taskType leaves out playbooks that are for other kinds of task */
  find({ text, focus, terms }: Request, taskType: TaskType): TriggerMatch<Playbook>[] {
    const matches = collect<Playbook>(focus, (offer) => {
      for (const { word, ids } of this.words.find(text)) {
        for (const playbook of ids) offer(playbook, RELEVANCE.keyword * byLength(word), `触发词「${word}」`);
      }
      for (const { word, ids, found, gap } of this.loose.find(text)) {
        for (const playbook of ids) offer(playbook, RELEVANCE.loose - 0.04 * gap, `「${found}」接近触发词「${word}」`);
      }
      for (const { keyword, word } of termWords(terms, text)) {
        for (const playbook of this.words.get(keyword))
          offer(playbook, RELEVANCE.viaTerm, `「${word}」即触发词「${keyword}」`);
      }
    });
    return matches.filter(
      ({ entry }) => taskType === 'general' || entry.task_types.length === 0 || entry.task_types.includes(taskType),
    );
  }
}

/** Finds warnings by what a request says; on a diff see diff.ts. */
export class WarningIndex {
  private readonly words = new WordMatcher<Warning>();
  private readonly symbols = new SymbolReverse<Warning>();
  private readonly all: readonly Warning[];

  constructor(warnings: Iterable<Warning>) {
    this.all = [...warnings];
    for (const warning of this.all) {
      for (const word of warning.when.keywords) this.words.add(word, warning);
      for (const symbol of warning.when.symbols) this.symbols.add(symbol, warning);
    }
  }

  find({ text, symbols, files, focus, terms }: Request): TriggerMatch<Warning>[] {
    return collect<Warning>(focus, (offer) => {
      for (const { word, ids } of this.words.find(text)) {
        for (const warning of ids) offer(warning, RELEVANCE.keyword * byLength(word), `请求里有「${word}」`);
      }
      for (const { keyword, word } of termWords(terms, text)) {
        for (const warning of this.words.get(keyword)) offer(warning, RELEVANCE.viaTerm, `「${word}」即「${keyword}」`);
      }
      for (const { entry, asked, whole } of symbols.flatMap((symbol) => this.symbols.find(symbol))) {
        offer(entry, whole ? RELEVANCE.symbol : RELEVANCE.lastName, `涉及代码符号 ${asked}`);
      }
      for (const warning of this.all) this.byPlace(warning, files, focus, offer);
    });
  }

  /** A team's warning about the files or the module in focus; a general one's globs fit half of any repository. */
  private byPlace(warning: Warning, files: readonly string[], focus: Focus, offer: Offer<Warning>): void {
    if (warning.provenance.layer === 'general') return;
    const file = files.find((path) => warning.when.paths.some((glob) => globMatches(path, glob)));
    if (file !== undefined) offer(warning, RELEVANCE.path, `涉及文件 ${file}`);
    else if (warning.module !== undefined && focus.explicit.has(warning.module)) {
      offer(warning, RELEVANCE.module, `属于当前模块 ${warning.module}`);
    }
  }
}
