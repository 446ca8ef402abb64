import { randomUUID } from 'node:crypto';
import { XiheError } from '../../errors.js';
import { bodyOf, type GraphApp, type GraphContext, type GraphService, jsonText } from './context.js';
import { noteOutcome } from './queue.js';
import { historyQuery, isYes, stateAt, stateUpdate, threadCreate, threadPatch, threadSearch } from './requests.js';
import { type ThreadRow, wireThread } from './rows.js';
import {
  busy,
  countThreads,
  createThread,
  deleteThread,
  patchThread,
  requireThread,
  searchThreads,
} from './threads.js';

/** Threads, their states and their history. Every one of them asks for the owner's thread first. */
export function addThreadRoutes(app: GraphApp, service: GraphService): void {
  const { sql, engine } = service;
  const threadOf = (c: GraphContext): Promise<ThreadRow> =>
    requireThread(sql, c.req.param('thread_id') ?? '', c.get('user').identity);
  // A thread that was never run belongs to no graph yet; its state is empty whichever is asked.
  const graphOf = (thread: ThreadRow): string => thread.graph_id ?? engine.graphIds()[0]!;

  app.post('/threads', async (c) => {
    const body = await bodyOf(c, threadCreate);
    if (Array.isArray(body.supersteps) && body.supersteps.length > 0)
      throw new XiheError('NOT_SUPPORTED', '不能带着 supersteps 建会话', {
        hint: '先建空的，再用 POST /threads/…/state 写。',
      });
    const { owner, threadId } = { owner: c.get('user').identity, threadId: body.thread_id ?? randomUUID() };
    const row = await createThread(sql, { threadId, owner, metadata: body.metadata ?? {} }, body.if_exists ?? 'raise');
    return c.json(wireThread(row, null));
  });

  app.post('/threads/search', async (c) => {
    const body = await bodyOf(c, threadSearch);
    const rows = await searchThreads(sql, {
      ...filterOf(c, body),
      limit: body.limit ?? 10,
      offset: body.offset ?? 0,
      sortBy: body.sort_by ?? 'created_at',
      sortOrder: body.sort_order ?? 'desc',
    });
    const select = body.select ?? undefined;
    const withValues = select === undefined || select.includes('values');
    const found = rows.map(async (row) => {
      const thread = wireThread(
        row,
        withValues && row.graph_id ? await engine.values(row.graph_id, row.thread_id) : null,
      );
      return select ? Object.fromEntries(Object.entries(thread).filter(([key]) => select.includes(key))) : thread;
    });
    return c.json(await Promise.all(found));
  });

  app.post('/threads/count', async (c) => c.json(await countThreads(sql, filterOf(c, await bodyOf(c, threadSearch)))));

  app.get('/threads/:thread_id', async (c) => {
    const row = await threadOf(c);
    return c.json(wireThread(row, row.graph_id ? await engine.values(row.graph_id, row.thread_id) : null));
  });

  app.patch('/threads/:thread_id', async (c) => {
    const { thread_id } = await threadOf(c);
    const { metadata } = await bodyOf(c, threadPatch);
    return c.json(wireThread(await patchThread(sql, thread_id, c.get('user').identity, metadata ?? {}), null));
  });

  app.delete('/threads/:thread_id', async (c) => {
    const { thread_id } = await threadOf(c);
    await deleteThread(sql, thread_id, c.get('user').identity);
    await engine.deleteThread(thread_id);
    return c.body(null, 204);
  });

  app.get('/threads/:thread_id/state', async (c) => {
    const thread = await threadOf(c);
    const subgraphs = isYes(c.req.query('subgraphs'));
    return jsonText(c, await engine.state(graphOf(thread), thread.thread_id, { subgraphs }));
  });

  app.post('/threads/:thread_id/state/checkpoint', async (c) => {
    const thread = await threadOf(c);
    const { checkpoint, subgraphs } = await bodyOf(c, stateAt);
    const query = {
      checkpointId: checkpoint?.checkpoint_id ?? undefined,
      checkpointNs: checkpoint?.checkpoint_ns ?? undefined,
      subgraphs: subgraphs ?? false,
    };
    return jsonText(c, await engine.state(graphOf(thread), thread.thread_id, query));
  });

  app.get('/threads/:thread_id/state/:checkpoint_id', async (c) => {
    const thread = await threadOf(c);
    const query = { checkpointId: c.req.param('checkpoint_id'), subgraphs: isYes(c.req.query('subgraphs')) };
    return jsonText(c, await engine.state(graphOf(thread), thread.thread_id, query));
  });

  app.post('/threads/:thread_id/state', async (c) => {
    const { thread_id } = await threadOf(c);
    const body = await bodyOf(c, stateUpdate);
    return c.json({ checkpoint: await updateState(service, thread_id, c.get('user').identity, body) });
  });

  const history = async (c: GraphContext, query: Parameters<typeof engine.history>[2]) => {
    const thread = await threadOf(c);
    return jsonText(c, await engine.history(graphOf(thread), thread.thread_id, query));
  };
  app.post('/threads/:thread_id/history', async (c) => {
    await threadOf(c);
    const body = await bodyOf(c, historyQuery);
    const before =
      typeof body.before === 'string' ? body.before : (body.before?.configurable ?? body.before)?.checkpoint_id;
    return history(c, {
      limit: body.limit ?? 10,
      before: typeof before === 'string' ? before : undefined,
      metadata: body.metadata ?? undefined,
      checkpointId: body.checkpoint?.checkpoint_id ?? undefined,
    });
  });
  app.get('/threads/:thread_id/history', (c) => history(c, { limit: Number(c.req.query('limit')) || 10 }));
}

/** Writes into a thread that nothing works on; the thread is held meanwhile, so that no run begins. */
function updateState(
  service: GraphService,
  threadId: string,
  owner: string,
  body: {
    values?: unknown;
    as_node?: string | null | undefined;
    checkpoint_id?: string | null | undefined;
    checkpoint?: { checkpoint_id?: string | null | undefined } | null | undefined;
  },
): Promise<unknown> {
  const { sql, engine } = service;
  return sql.tx(async (tx) => {
    const thread = await requireThread(tx, threadId, owner, true);
    if (thread.status === 'busy') throw busy(threadId);
    if (!thread.graph_id)
      throw new XiheError('USAGE', '这个会话还没有用过哪个图', {
        hint: '先运行一次；或新建一次运行时在 input 里给出内容。',
      });
    const at = body.checkpoint_id ?? body.checkpoint?.checkpoint_id ?? undefined;
    const checkpoint = await engine.update(thread.graph_id, threadId, body.values, body.as_node ?? undefined, at);
    await noteOutcome(tx, threadId, await engine.outcome(thread.graph_id, threadId));
    return checkpoint;
  });
}

function filterOf(
  c: GraphContext,
  body: {
    metadata?: Record<string, unknown> | null | undefined;
    status?: ThreadRow['status'] | null | undefined;
    ids?: string[] | null | undefined;
  },
) {
  return {
    owner: c.get('user').identity,
    metadata: body.metadata ?? undefined,
    status: body.status ?? undefined,
    ids: body.ids ?? undefined,
  };
}
