import { packageVersion } from '../../assets.js';
import { XiheError } from '../../errors.js';
import { assistantIdOf, bodyOf, type GraphApp, type GraphService, graphIdOf } from './context.js';
import { assistantSearch, isYes } from './requests.js';

/** The one assistant of each graph does not change; clients want a time all the same. */
const SINCE = '2026-01-01T00:00:00.000Z';

const DESCRIPTIONS: Record<string, string> = {
  xihe: '全部流程：改仓库、提问、操作、闲聊',
  knowledge: '只回答问题，每条回答带来源',
};

function assistantOf(graphId: string): Record<string, unknown> {
  return {
    assistant_id: assistantIdOf(graphId),
    graph_id: graphId,
    name: graphId,
    description: DESCRIPTIONS[graphId] ?? '',
    config: {},
    context: {},
    metadata: { created_by: 'system' },
    version: 1,
    created_at: SINCE,
    updated_at: SINCE,
  };
}

/** `/info` and the assistants: one for each graph, made by the server and read only. */
export function addAssistantRoutes(app: GraphApp, service: GraphService): void {
  const { engine } = service;
  app.get('/info', (c) =>
    c.json({
      version: packageVersion(),
      context: 'js',
      flags: { assistants: true, crons: false, langsmith: false, langsmith_tracing_replicas: false },
    }),
  );

  app.post('/assistants/search', async (c) => {
    const found = search(await bodyOf(c, assistantSearch));
    return c.json(found);
  });
  app.post('/assistants/count', async (c) => {
    const query = await bodyOf(c, assistantSearch);
    return c.json(search({ ...query, limit: undefined, offset: undefined }).length);
  });
  app.get('/assistants/:id', (c) => c.json(assistantOf(graphIdOf(service, c.req.param('id')))));
  app.get('/assistants/:id/graph', async (c) =>
    c.json(await engine.drawing(graphIdOf(service, c.req.param('id')), isYes(c.req.query('xray')))),
  );
  app.get('/assistants/:id/schemas', (c) => c.json(engine.schemas(graphIdOf(service, c.req.param('id')))));
  // Neither graph has one.
  app.get('/assistants/:id/subgraphs/:namespace?', (c) => {
    graphIdOf(service, c.req.param('id'));
    return c.json({});
  });
  app.post('/assistants/:id/versions', (c) => c.json([assistantOf(graphIdOf(service, c.req.param('id')))]));
  app.on(['POST', 'PATCH', 'DELETE'], ['/assistants', '/assistants/:id', '/assistants/:id/latest'], () => {
    throw new XiheError('NOT_SUPPORTED', '助手由服务定义，不能新建、修改或删除', {
      hint: '直接用 xihe 或 knowledge；每次运行的不同写在 input 里。',
    });
  });

  function search(query: {
    graph_id?: unknown;
    name?: unknown;
    metadata?: unknown;
    limit?: unknown;
    offset?: unknown;
  }) {
    const wanted = Object.entries((query.metadata as Record<string, unknown> | null | undefined) ?? {});
    const found = engine
      .graphIds()
      .map(assistantOf)
      .filter((one) => !query.graph_id || one.graph_id === query.graph_id)
      .filter((one) => !query.name || String(one.name).includes(String(query.name).toLowerCase()))
      .filter((one) => wanted.every(([key, value]) => (one.metadata as Record<string, unknown>)[key] === value));
    const from = Number(query.offset ?? 0);
    return found.slice(from, from + Number(query.limit ?? found.length));
  }
}
