import { XiheError } from '../errors.js';
import type { ModelRequest } from './model.js';
import type { Endpoint } from './model-endpoint.js';
import type { ModelReply } from './model-reply.js';

interface Member {
  name: string;
  baseUrl: string;
  endpoint: Pick<Endpoint, 'invoke'>;
}

/**
 * How long a model that failed is passed over, in milliseconds: at each turn of a run its retries would be waited for again, and
 * outages seldom end within a minute.
 */
const PASS_OVER_MS = 5 * 60_000;

/** When each model may be asked again, for the process: each node opens the chain anew. */
const passedOver = new Map<string, number>();

/** Models in order: the first that answers is the one. */
export class Chain {
  readonly #members: readonly Member[];

  constructor(members: readonly Member[]) {
    this.#members = members;
  }

  /**
   * Asks the first model that is not known to be down, then those after it, at last those that were down.
   *
   * A conversation that is too long goes back to the caller, who can shorten it; so does the user's own stop.
   *
   * @throws XiheError of the only model, or MODEL_UNREACHABLE naming every model and why; CANCELLED
   */
  async invoke(request: ModelRequest): Promise<ModelReply> {
    const isDown = (member: Member) => (passedOver.get(keyOf(member)) ?? 0) > Date.now();
    const asked = [...this.#members.filter((m) => !isDown(m)), ...this.#members.filter(isDown)];
    const failed: { member: Member; error: XiheError }[] = [];
    for (const [i, member] of asked.entries()) {
      try {
        const reply = await member.endpoint.invoke(request);
        passedOver.delete(keyOf(member));
        return reply;
      } catch (e) {
        if (!XiheError.is(e) || e.code === 'CANCELLED' || e.code === 'MODEL_CONTEXT_OVERFLOW') throw e;
        failed.push({ member, error: e });
        const next = asked[i + 1];
        if (this.#members.length > 1) passedOver.set(keyOf(member), Date.now() + PASS_OVER_MS);
        if (next !== undefined) request.onFallback?.(member.name, next.name, e.message);
      }
    }
    throw allFailed(failed);
  }
}

function keyOf({ baseUrl, name }: Member): string {
  return `${baseUrl} ${name}`;
}

function allFailed(failed: { member: Member; error: XiheError }[]): XiheError {
  const [first] = failed;
  if (failed.length === 1) return first!.error;
  const each = failed.map(({ member, error }) => `${member.name}：${error.message}`).join('；');
  return new XiheError(first!.error.code, `${failed.length} 个模型都没有成功（${each}）`, {
    hint: first!.error.hint,
    cause: first!.error,
    details: { models: failed.map(({ member, error }) => ({ model: member.name, code: error.code })) },
  });
}
