import { bigrams, fold } from '../text/index.js';
import type { KnowledgeDocument } from './types.js';
import { prepare, WordMatcher } from './wordMatcher.js';

/** A document that a query names. */
export interface ExactHit {
  document: KnowledgeDocument;
  /** In Chinese: which keyword, or that the summary matched. */
  why: string;
  /** 0–1. Keywords always rank above summaries. */
  score: number;
}

/**
 * How much of a query must stand in a summary, and how many pairs of characters at least.
 *
 * On 276 real questions against 6,612 texts of one sentence, 0.7 answers 8 % of them, and a lower share mostly adds wrong ones.
 * Six pairs (a phrase of seven characters) keep short queries out: those are what keywords are for, and 「处理系统异常」 would hit
 * whatever speaks of exceptions.
 */
const SUMMARY_SHARE = 0.7;
const SUMMARY_PAIRS = 6;

/** Words of asking, which no summary holds. They are cut out before pairs are made. */
const ASKING =
  /为什么|怎么样|怎么|怎样|如何|什么|是否|能否|可否|有没有|能不能|可不可以|请问|哪些|哪个|多少|帮我|一下|可以|需要|应该|应当|[的了吗呢吧啊呀么]/g;

/**
 * L0: documents whose keyword (or title) stands in the query, or whose summary shares enough with it.
 *
 * Matching is by folded form: letter case, width, traditional characters and regional words do not matter. Needs no jieba, but
 * for a Chinese keyword of two characters inside other Chinese text.
 */
export class ExactIndex {
  private readonly matcher = new WordMatcher<KnowledgeDocument>();
  private pairs: Map<string, Set<KnowledgeDocument>> | undefined;

  constructor(private readonly documents: readonly KnowledgeDocument[]) {
    for (const document of documents) {
      for (const keyword of document.keywords) this.matcher.add(keyword, document);
      if (document.keywords.length > 0) this.matcher.add(document.title, document);
    }
  }

  /** Best first: the longest keyword, then more keywords, then the project's, then by title. */
  find(query: string): ExactHit[] {
    const text = prepare(query);
    const hits = new Map<KnowledgeDocument, { words: string[]; longest: number }>();
    for (const { word, ids, start, end } of this.matcher.find(text)) {
      for (const document of ids) {
        const hit = hits.get(document) ?? { words: [], longest: 0 };
        if (!hit.words.includes(word)) hit.words.push(word);
        hit.longest = Math.max(hit.longest, end - start);
        hits.set(document, hit);
      }
    }
    if (hits.size === 0) return this.bySummary(query);
    return [...hits]
      .sort(
        ([docA, a], [docB, b]) => b.longest - a.longest || b.words.length - a.words.length || precedence(docA, docB),
      )
      .map(([document, { words, longest }]) => ({
        document,
        why: `关键词「${words.join('」「')}」`,
        score: 0.8 + 0.2 * Math.min(1, longest / Math.max(1, text.length)),
      }));
  }

  private bySummary(query: string): ExactHit[] {
    const wanted = [...new Set(pairsOf(query.replace(ASKING, ' ')))];
    if (wanted.length < SUMMARY_PAIRS) return [];
    const counts = new Map<KnowledgeDocument, number>();
    this.pairs ??= this.summaryPairs();
    for (const pair of wanted) {
      for (const document of this.pairs.get(pair) ?? []) counts.set(document, (counts.get(document) ?? 0) + 1);
    }
    return [...counts]
      .filter(([, n]) => n >= SUMMARY_PAIRS && n / wanted.length >= SUMMARY_SHARE)
      .sort(([docA, a], [docB, b]) => b - a || precedence(docA, docB))
      .map(([document, n]) => ({ document, why: '与摘要重合', score: 0.7 * (n / wanted.length) }));
  }

  private summaryPairs(): Map<string, Set<KnowledgeDocument>> {
    const index = new Map<string, Set<KnowledgeDocument>>();
    for (const document of this.documents) {
      for (const pair of pairsOf(document.summary)) {
        const set = index.get(pair) ?? new Set();
        set.add(document);
        index.set(pair, set);
      }
    }
    return index;
  }
}

/** Pairs of Chinese characters, and Latin words whole. */
function pairsOf(text: string): string[] {
  return [...bigrams(text), ...(fold(text).match(/[a-z0-9_.-]{2,}/g) ?? [])];
}

function precedence(a: KnowledgeDocument, b: KnowledgeDocument): number {
  if (a.provenance.layer !== b.provenance.layer) return a.provenance.layer === 'project' ? -1 : 1;
  return a.title < b.title ? -1 : a.title > b.title ? 1 : a.id < b.id ? -1 : 1;
}
