import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { assetPath } from '../../assets.js';
import { gramsOf } from './features.js';
import { LinearModel, type Scored } from './linear.js';
import type { IntentKind } from './types.js';

const linearSchema = z.strictObject({
  labels: z.array(z.string()),
  features: z.string(),
  scale: z.number(),
  weights: z.base64(),
  bias: z.array(z.number()),
});

const modelSchema = z.strictObject({
  /** Hash of what it was trained on; scripts/route/train.ts writes it, a test compares. */
  trainedOn: z.string(),
  kinds: linearSchema,
  acts: linearSchema,
});

interface Models {
  trainedOn: string;
  kinds: LinearModel;
  acts: LinearModel;
}

let models: Models | undefined;

function load(): Models {
  if (models) return models;
  const raw = modelSchema.parse(JSON.parse(readFileSync(assetPath('src', 'agent', 'routing', 'model.json'), 'utf8')));
  models = { trainedOn: raw.trainedOn, kinds: new LinearModel(raw.kinds), acts: new LinearModel(raw.acts) };
  return models;
}

/** What the classifier thinks of an utterance. */
export interface Opinion {
  kind: IntentKind;
  /** Share of each kind, 0–1. */
  shares: Readonly<Record<IntentKind, number>>;
  /** How sure an act is, 0–1: the geometric mean of its share by the words alone and with what the grammar saw. */
  act: number;
  /** In Chinese: pieces of the utterance that spoke most for the kind. */
  because: string;
}

/** Pieces that an explanation names. */
const NAMED = 4;

/** Features of the rules are called `R…`; people read only the pieces of their own words. */
const isWords = (feature: string) => !/^(?:R|len:)/.test(feature) && /[\p{L}]{2}/u.test(feature.replace('w:', ''));

/**
 * The learned layer: which kind an utterance is, by its n-grams and by what the grammar saw.
 *
 * @param marks what the rules found ({@link RuleResult.marks})
 */
export function opinionOn(text: string, marks: readonly string[]): Opinion {
  const { kinds } = load();
  const grams = gramsOf(text);
  const features = [...grams, ...marks];
  const shares = kinds.shares(features);
  const best = shares.reduce((a, b) => (b.p > a.p ? b : a));
  const named = kinds.reasons(features, best.label, features.length).filter(isWords).slice(0, NAMED);
  return {
    kind: best.label as IntentKind,
    shares: Object.fromEntries(shares.map(({ label, p }) => [label, p])) as Record<IntentKind, number>,
    act: Math.sqrt(shareOf(kinds.shares(grams), 'tool') * shareOf(shares, 'tool')),
    because: named.map((piece) => `「${piece.replace(/^w:|[\^$]/g, '')}」`).join(''),
  };
}

function shareOf(shares: readonly Scored[], label: string): number {
  return shares.find((one) => one.label === label)?.p ?? 0;
}

/** Below this share (0–1) a kind of act is noise, and comparing tools by it costs time for nothing. */
const NOISE = 0.01;

/**
 * How likely a text asks for each kind of act, whatever its kind: for choosing among tools, never for deciding to act.
 *
 * @returns shares of the acts above noise
 */
export function actsOf(text: string): Map<string, number> {
  const shares = load().acts.shares(gramsOf(text));
  return new Map(shares.filter(({ p }) => p > NOISE).map(({ label, p }) => [label, p]));
}

/** Hash of the training data that model.json was made of. */
export const trainedOn = () => load().trainedOn;
