// The model of `bench:loop overhead`: reads window after window, as often as the request says, and answers at once.
import type { ChatRequest, Scenario } from '../test/support/model-server.js';

/** Files of the shop with some lines each. */
export const READ = [
  'order/order-service',
  'refund/refund-service',
  'payment/payment-service',
  'web/order-controller',
  'web/router',
].map((name) => `src/${name}.ts`);
/** Lines of one window, and how far apart two of a file begin: no window is asked for twice. */
export const LINES = 20;
const STEP = 7;

/** How often a request has the model read: the number in it. */
export function readingsOf({ messages }: ChatRequest): number {
  const asked = messages.find((m) => m.role === 'user' && /读 \d+ 段/.test(String(m.content)));
  return Number(/读 (\d+) 段/.exec(String(asked?.content))?.[1] ?? 0);
}

export function windowAt(turn: number): { path: string; start_line: number; line_count: number } {
  return { path: READ[turn % READ.length]!, start_line: 1 + STEP * Math.floor(turn / READ.length), line_count: LINES };
}

const scenario: Scenario = {
  rules: [
    {
      reply: (req, { turn }) =>
        turn < readingsOf(req) ? { toolCalls: [{ name: 'read_file', args: windowAt(turn) }] } : '读完了，没有要改的。',
    },
  ],
};
export default scenario;
