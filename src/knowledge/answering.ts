import type { SearchHit } from './chunkSearch.js';

/**
 * How well the best hit has to stand to be given as an answer, by both arms and by words alone: nothing beats something wrong. Of more
 * passages more come near by chance, so the bar rises with their number. Measured with 276 questions (92 in the smaller corpora)
 * beside what ships, each asked with its passage in the corpus and without (`npm run bench:refusal`, bench/README.md has the curve):
 *
 * | passages | right ones kept: both, words | questions without an answer refused: both, words |
 * | --- | --- | --- |
 * | 30 | 93 %, 93 % | 83 %, 79 % |
 * | 120 | 94 %, 89 % | 78 %, 71 % |
 * | 400 | 90 %, 87 % | 79 %, 71 % |
 * | 6,612 | 70 %, 82 % | 85 %, 54 % |
 *
 * With both, some four of five questions without an answer are refused, however many passages there are; of 12 short pages as well
 * (`npm run bench:faq`: 30 questions in other words than the pages', 25 refused).
 */
const ANSWER_MIN = { both: { start: 0.03, perLog: 0.0088 }, words: { start: 0.33, perLog: 0.011 } } as const;

/**
 * How much lower the bar is beside a document that the query names by a bare name: the passage is no answer then but what the answer has
 * to do with, and is read as that.
 */
const BESIDE = 0.02;

/** Below this number chance does not fall further. */
const FEW = 8;

function barOf(decidedBy: 'both' | 'words', passages: number): number {
  const { start, perLog } = ANSWER_MIN[decidedBy];
  return start + perLog * Math.log(Math.max(FEW, passages));
}

/**
 * The same for what ships. It is there in every project, most of which it has nothing to do with: so the question has to name its
 * subject as well, or stand nearer still. Of 253 requests of an ordinary day 13 get a passage, of 276 questions about other products 5;
 * of 41 questions about what ships 39.
 */
const GENERAL_MIN = { named: 0.07, unnamed: 0.09, words: 0.5 } as const;

/**
 * How much nearer a passage of what ships has to stand than an answer of the team's own. Of 63 questions to a team's pages 28 get the right
 * page so and 24 at .02.
 */
const OWN_FIRST = 0.05;

/** A chunk that holds less of the query than this is about something else, however often it says one of its words. Only where words decide alone. */
export const COVERAGE_MIN = 0.4;

/** How much the lead over the next hit counts: a passage that answers stands out, several that only speak of the same do not. */
const MARGIN = 0.5;

/** What a score of words counts beside the closeness of vectors, which is an order of magnitude smaller. */
const WORDS = 0.05;

/** How near a hit stands, in units of closeness. */
export function standing({ closeness = 0, words }: Pick<SearchHit, 'closeness' | 'words'>): number {
  return closeness + WORDS * words;
}

/** Where as many answers are right as wrong, and how fast that changes; both from the measurement above. */
const EVEN = 0.08;
const STEEP = 0.012;

/** A standing as a score from 0 to 1. */
export function scoreOfStanding(value: number): number {
  return 1 / (1 + Math.exp(-(value - EVEN) / STEEP));
}

/**
 * The hit that may be given as the answer, if one may.
 *
 * @param hits best first
 * @param passages how many the project has
 * @param isBeside whether the answer is there and the hit only stands beside it
 * @param namesSubject whether the query names what a hit is about; asked only of what ships
 */
export function answerAmong(
  hits: readonly SearchHit[],
  passages: number,
  isBeside: boolean,
  namesSubject: (hit: SearchHit) => boolean,
): SearchHit | undefined {
  const eased = isBeside ? BESIDE : 0;
  // Where the project's best is not good enough, its next ones are still less so.
  const [own, next] = hits.filter(({ chunk }) => chunk.provenance.layer === 'project');
  const ownAnswer = own !== undefined && isOwnAnswer(own, next, passages, eased) ? own : undefined;
  const general = hits.find(
    (hit, i) =>
      hit.chunk.provenance.layer === 'general' && isGeneralAnswer(hit, ofAnother(hits, i), eased, namesSubject),
  );
  if (ownAnswer === undefined || general === undefined) return ownAnswer ?? general;
  return standing(general) - standing(ownAnswer) > OWN_FIRST ? general : ownAnswer;
}

/** The next hit out of another document: what ships has a subject a document, whose passages come together. */
function ofAnother(hits: readonly SearchHit[], at: number): SearchHit | undefined {
  const { documentId } = (hits[at] as SearchHit).chunk;
  return hits.slice(at + 1).find(({ chunk }) => chunk.documentId !== documentId);
}

function isOwnAnswer(hit: SearchHit, next: SearchHit | undefined, passages: number, eased: number): boolean {
  if (hit.decidedBy === 'words' && hit.coverage < COVERAGE_MIN) return false;
  return aboveBar(hit, next, passages) + (hit.decidedBy === 'both' ? eased : 0) >= 0;
}

/**
 * How far a project's best hit stands above the bar; below 0 it is no answer.
 *
 * @param next the next best hit
 * @param passages how many the project has
 * @returns in units of closeness, or of the score of words where those decide
 */
export function aboveBar(hit: SearchHit, next: SearchHit | undefined, passages: number): number {
  const bar = barOf(hit.decidedBy, passages);
  if (hit.decidedBy === 'both') return standingOut(hit, next) - bar;
  return hit.words + MARGIN * Math.max(0, hit.words - (next?.words ?? 0)) - bar;
}

function isGeneralAnswer(
  hit: SearchHit,
  next: SearchHit | undefined,
  eased: number,
  namesSubject: (hit: SearchHit) => boolean,
): boolean {
  if (hit.decidedBy === 'words')
    return hit.words >= GENERAL_MIN.words && hit.coverage >= COVERAGE_MIN && namesSubject(hit);
  const value = standingOut(hit, next) + eased;
  return value >= GENERAL_MIN.unnamed || (value >= GENERAL_MIN.named && namesSubject(hit));
}

/** {@link standing}, and more the further the next hit is behind. */
function standingOut(hit: SearchHit, next: SearchHit | undefined): number {
  const nearer = (hit.closeness ?? 0) - (next?.closeness ?? 0);
  return standing(hit) + MARGIN * nearer + WORDS * (hit.words - (next?.words ?? 0));
}
