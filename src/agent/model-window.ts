import type { ChatModel } from './model.js';
import type { NodeEnv } from './node.js';

/** Windows that endpoints turned out to have, in tokens by model name; for the process. */
const narrow = new Map<string, number>();

/** Share of a window that an endpoint names which we count as ours: it counts other tokens than we do. */
const TRUSTED_SHARE = 0.9;

/** Smaller ones are no window of a chat model, but a number of something else. */
const SMALLEST = 512;

/** The window of the model in tokens: as it is set, or as its endpoint said in the meantime. */
export function windowOf({ model, project }: Pick<NodeEnv, 'model' | 'project'>): number {
  const set = Math.min(model?.contextTokens ?? Number.POSITIVE_INFINITY, project.config.model.contextTokens);
  return Math.min(set, (model && narrow.get(model.name)) ?? set);
}

/**
 * Remembers that a conversation did not fit into the window that we took it for.
 *
 * @param said the endpoint's own words, which often name the real one
 */
export function narrowed(model: Pick<ChatModel, 'name'>, window: number, said: string): void {
  const named =
    /(?:maximum context length is|context (?:size|length|window)(?: of| is)?|n_ctx\D{0,5}|exceeds? .{0,40}?\()\s*:?\s*(\d{3,8})/i.exec(
      said,
    );
  const told = Number(named?.[1] ?? 0) * TRUSTED_SHARE;
  narrow.set(model.name, told >= SMALLEST && told < window ? told : window / 2);
}
