import * as z from 'zod';

/** What a run's model calls used. */
export const usageSchema = z.object({
  /** Tokens. */
  input: z.number(),
  output: z.number(),
  calls: z.number(),
  /** True when an endpoint told no usage and the tokens are our estimate. */
  estimated: z.boolean(),
  /** Milliseconds in model calls. */
  ms: z.number(),
  /** Of the input: tokens that the provider had in its cache, where it tells. */
  cached: z.number().optional(),
  /** Money, by the user's own prices. */
  cost: z.number().optional(),
  /** A call went to a model without a price: `cost` leaves it out. */
  unpriced: z.boolean().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** Nothing used yet. */
export const NO_USAGE: Usage = { input: 0, output: 0, calls: 0, estimated: false, ms: 0 };

/** Two usages together. */
export function addUsage(a: Usage, b: Usage): Usage {
  const both = (x: number | undefined, y: number | undefined) =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  const [cached, cost] = [both(a.cached, b.cached), both(a.cost, b.cost)];
  return {
    ...(cached === undefined ? {} : { cached }),
    ...(cost === undefined ? {} : { cost }),
    ...(a.unpriced || b.unpriced ? { unpriced: true } : {}),
    input: a.input + b.input,
    output: a.output + b.output,
    calls: a.calls + b.calls,
    estimated: a.estimated || b.estimated,
    ms: a.ms + b.ms,
  };
}
