import { XiheError } from '../../errors.js';
import { assistantIdOf, bodyOf, type GraphApp, type GraphContext, type GraphService, queryOf } from './context.js';
import { followEvents, untilOver } from './events.js';
import { cancelQuery, isYes, pageQuery, type RunCreate, runCreate } from './requests.js';
import { isActive, type RunRow, wireRun } from './rows.js';
import { beginRun } from './run-start.js';
import { cancelRun, deleteRun, findRun, listRuns, requireRun } from './runs.js';
import { jsonLater, sse } from './streams.js';

/** Runs: begun, followed, joined, listed, cancelled. A run belongs to the queue from the moment it is begun, and not to its client. */
export function addRunRoutes(app: GraphApp, service: GraphService): void {
  const { sql, bus } = service;
  const ownerOf = (c: GraphContext): string => c.get('user').identity;
  const runOf = (c: GraphContext): Promise<RunRow> =>
    requireRun(sql, c.req.param('thread_id') ?? '', c.req.param('run_id') ?? '', ownerOf(c));
  const shown = (row: RunRow) => wireRun(row, assistantIdOf(row.graph_id));

  for (const prefix of ['/threads/:thread_id/runs', '/runs'] as const) {
    app.post(prefix, async (c) => {
      const { run } = await begin(c);
      return c.json(shown(run));
    });
    app.post(`${prefix}/stream`, async (c) => {
      const { run, body } = await begin(c);
      return stream(c, run, 0, body.on_disconnect === 'cancel');
    });
    app.post(`${prefix}/wait`, async (c) => {
      const { run, body } = await begin(c);
      return wait(c, run, body.on_disconnect === 'cancel');
    });
  }

  app.get('/threads/:thread_id/runs', async (c) => {
    const page = queryOf(c, pageQuery);
    return c.json((await listRuns(sql, c.req.param('thread_id'), ownerOf(c), page)).map(shown));
  });
  app.get('/threads/:thread_id/runs/:run_id', async (c) => c.json(shown(await runOf(c))));
  app.delete('/threads/:thread_id/runs/:run_id', async (c) => {
    await deleteRun(sql, c.req.param('thread_id'), c.req.param('run_id'), ownerOf(c));
    return c.body(null, 204);
  });
  app.get('/threads/:thread_id/runs/:run_id/join', async (c) =>
    wait(c, await runOf(c), isYes(c.req.query('cancel_on_disconnect'))),
  );
  app.get('/threads/:thread_id/runs/:run_id/stream', async (c) => {
    const after = Number(c.req.header('last-event-id') ?? 0);
    const run = await runOf(c);
    return stream(
      c,
      run,
      Number.isSafeInteger(after) && after > 0 ? after : 0,
      isYes(c.req.query('cancel_on_disconnect')),
    );
  });
  app.post('/threads/:thread_id/runs/:run_id/cancel', async (c) => {
    const { action, wait: waits } = queryOf(c, cancelQuery);
    const run = await runOf(c);
    await cancel(run, ownerOf(c), action);
    if (isYes(waits)) await untilOver(sql, bus, run.run_id, c.req.raw.signal);
    return c.body(null, isYes(waits) ? 204 : 202);
  });

  async function begin(c: GraphContext): Promise<{ run: RunRow; body: RunCreate }> {
    if (service.isClosing())
      throw new XiheError('STORE_FAILED', '这个进程正在停止', { hint: '再试一次，会到别的进程。' });
    const body = await bodyOf(c, runCreate);
    const run = await beginRun(service, c.get('user'), c.req.param('thread_id'), body);
    const path = `/threads/${run.thread_id}/runs/${run.run_id}`;
    c.header('content-location', path);
    // Where the SDKs come back to when a connection breaks.
    c.header('location', `${path}/stream`);
    return { run, body };
  }

  async function cancel(run: RunRow, owner: string, action: 'interrupt' | 'rollback'): Promise<void> {
    await cancelRun(sql, run.thread_id, run.run_id, owner, action);
    bus.tell('cancel');
    bus.tell('work');
    bus.tell(`run:${run.run_id}`);
  }

  function stream(c: GraphContext, run: RunRow, after: number, cancels: boolean): Response {
    const left = new AbortController();
    const events = followEvents(sql, bus, run.run_id, after, AbortSignal.any([left.signal, service.closing]));
    c.header('location', `/threads/${run.thread_id}/runs/${run.run_id}/stream`);
    return sse(c, events, () => gone(c, run, left, cancels));
  }

  /** The values at the end of a run, with what it asks or why it failed. */
  function wait(c: GraphContext, run: RunRow, cancels: boolean): Response {
    const left = new AbortController();
    const result = async () => {
      await untilOver(sql, bus, run.run_id, AbortSignal.any([left.signal, service.closing]));
      return valuesOf(run);
    };
    return jsonLater(c, result(), () => gone(c, run, left, cancels));
  }

  function gone(c: GraphContext, run: RunRow, left: AbortController, cancels: boolean): void {
    left.abort();
    if (!cancels || service.isClosing()) return;
    cancel(run, ownerOf(c), 'interrupt').catch((e: unknown) => {
      service.log('run.cancel_failed', { run: run.run_id, error: String(e) });
    });
  }

  async function valuesOf({ run_id, thread_id, graph_id }: RunRow): Promise<string> {
    const run = await findRun(sql, run_id);
    if (run && isActive(run))
      return JSON.stringify({
        __error__: { error: 'STORE_FAILED', message: '这个进程正在停止，运行由别的进程接着跑' },
      });
    if (run?.error) return JSON.stringify({ __error__: JSON.parse(run.error) });
    const values = JSON.parse(await service.engine.values(graph_id, thread_id)) as Record<string, unknown>;
    const { interrupts } = await service.engine.outcome(graph_id, thread_id);
    const asked = Object.values(interrupts).flat();
    return JSON.stringify(asked.length > 0 ? { ...values, __interrupt__: asked } : values);
  }
}
