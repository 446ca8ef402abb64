/** Weights of a linear classifier as they lie in model.json. */
export interface LinearData {
  labels: string[];
  /** The features, one a line, in the order of the weights. */
  features: string;
  /** What one step of a weight is worth. */
  scale: number;
  /** One signed byte a feature and label, feature by feature, base64. */
  weights: string;
  /** One a label. */
  bias: number[];
}

export interface Scored {
  label: string;
  /** Share of this label, 0–1; all labels sum to 1. */
  p: number;
}

/** Multinomial logistic regression over named features: small, deterministic, and it can say what it saw. */
export class LinearModel {
  readonly labels: readonly string[];
  private readonly places: ReadonlyMap<string, number>;
  private readonly weights: Int8Array;

  constructor(private readonly data: LinearData) {
    this.labels = data.labels;
    this.places = new Map(data.features.split('\n').map((feature, i) => [feature, i]));
    this.weights = new Int8Array(Buffer.from(data.weights, 'base64'));
  }

  /** Shares of all labels, in the order of {@link labels}. */
  shares(features: readonly string[]): Scored[] {
    const { labels, bias, scale } = this.data;
    const sums = labels.map((_, k) => bias[k] ?? 0);
    const unit = scale / norm(features.length);
    for (const feature of features) {
      const at = this.places.get(feature);
      if (at === undefined) continue;
      for (let k = 0; k < labels.length; k += 1) sums[k]! += unit * this.weights[at * labels.length + k]!;
    }
    return softmax(sums).map((p, k) => ({ label: labels[k]!, p }));
  }

  /** The features that spoke most for a label against the mean of all, strongest first. */
  reasons(features: readonly string[], label: string, count: number): string[] {
    const n = this.labels.length;
    const k = this.labels.indexOf(label);
    const found: { feature: string; gain: number }[] = [];
    for (const feature of new Set(features)) {
      const at = this.places.get(feature);
      if (at === undefined) continue;
      const row = this.weights.subarray(at * n, at * n + n);
      const gain = row[k]! - row.reduce((sum, w) => sum + w, 0) / n;
      if (gain > 0) found.push({ feature, gain });
    }
    found.sort((a, b) => b.gain - a.gain || (a.feature < b.feature ? -1 : 1));
    return found.slice(0, count).map(({ feature }) => feature);
  }
}

/** Long utterances have more features, not more certainty. */
export function norm(features: number): number {
  return Math.sqrt(Math.max(features, 1));
}

export function softmax(sums: readonly number[]): number[] {
  const top = Math.max(...sums);
  const grown = sums.map((sum) => Math.exp(sum - top));
  const total = grown.reduce((sum, value) => sum + value, 0);
  return grown.map((value) => value / total);
}
