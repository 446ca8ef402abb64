import { bigrams } from '../../text/index.js';
import { foldForGrammar } from './clauses.js';
import { loadSamples } from './data.js';
import type { IntentKind, Sample } from './types.js';

/** How near an utterance is to the samples. */
export interface Nearest {
  kind: IntentKind;
  sample: Sample;
  /** Cosine to the nearest sample of the winning kind, 0–1. */
  score: number;
}

/** Samples that vote; with more, kinds that have many samples win by number. */
const VOTERS = 5;

interface Indexed {
  sample: Sample;
  vector: ReadonlyMap<string, number>;
}

interface SampleIndex {
  entries: readonly Indexed[];
  idf: ReadonlyMap<string, number>;
}

let shipped: SampleIndex | undefined;

/** Bigrams of Han characters, and words of Latin script. */
function featuresOf(text: string): string[] {
  const folded = foldForGrammar(text);
  return [...bigrams(folded), ...(folded.match(/[a-z0-9]+/g) ?? [])];
}

function vectorOf(features: readonly string[], idf: ReadonlyMap<string, number>, rare: number): Map<string, number> {
  const vector = new Map<string, number>();
  for (const feature of features) vector.set(feature, (vector.get(feature) ?? 0) + (idf.get(feature) ?? rare));
  const norm = Math.hypot(...vector.values()) || 1;
  for (const [feature, weight] of vector) vector.set(feature, weight / norm);
  return vector;
}

function indexSamples(samples: readonly Sample[]): SampleIndex {
  const cut = samples.map((sample) => ({ sample, features: featuresOf(sample.text) }));
  const df = new Map<string, number>();
  for (const { features } of cut) for (const feature of new Set(features)) df.set(feature, (df.get(feature) ?? 0) + 1);
  const idf = new Map([...df].map(([feature, n]) => [feature, Math.log(1 + samples.length / n)]));
  const rare = Math.log(1 + samples.length);
  return { idf, entries: cut.map(({ sample, features }) => ({ sample, vector: vectorOf(features, idf, rare) })) };
}

function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [feature, weight] of a) sum += weight * (b.get(feature) ?? 0);
  return sum;
}

/**
 * The second layer: cosine of weighted character bigrams to the sample utterances; the five nearest vote with their scores.
 *
 * @param text the utterance
 * @param extra samples of the team, beside those that ship
 * @param without leaves this sample out (for measuring)
 */
export function nearestSample(text: string, extra: readonly Sample[] = [], without?: string): Nearest | undefined {
  shipped ??= indexSamples(loadSamples());
  const index = extra.length === 0 ? shipped : indexSamples([...loadSamples(), ...extra]);
  const rare = Math.log(1 + index.entries.length);
  const query = vectorOf(featuresOf(text), index.idf, rare);
  const scored = index.entries
    .filter(({ sample }) => sample.text !== without)
    .map(({ sample, vector }) => ({ sample, score: cosine(query, vector) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, VOTERS);
  const votes = new Map<IntentKind, number>();
  for (const { sample, score } of scored) votes.set(sample.kind, (votes.get(sample.kind) ?? 0) + score * score);
  const winner = [...votes].sort((a, b) => b[1] - a[1])[0]?.[0];
  const best = scored.find(({ sample }) => sample.kind === winner);
  return best && winner !== undefined ? { kind: winner, ...best } : undefined;
}
