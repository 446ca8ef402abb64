/**
 * The rooms of the house, top to bottom: a room may import the rooms that its row names, and nothing else of ours.
 * Root files of src/ (errors, assets, layout, config) belong to every room.
 */
const rooms = {
  text: [],
  code: ['text'],
  history: ['text'],
  embed: ['text'],
  knowledge: ['text', 'embed'],
  zhcore: ['text', 'code', 'history', 'knowledge'],
  paths: ['text', 'code', 'history'],
  sandbox: ['text'],
  integrations: ['text'],
  tools: ['text', 'code', 'history', 'embed', 'knowledge', 'zhcore', 'paths', 'sandbox', 'integrations'],
  agent: ['text', 'code', 'history', 'embed', 'knowledge', 'zhcore', 'paths', 'sandbox', 'integrations', 'tools'],
  evals: [
    'text',
    'code',
    'history',
    'embed',
    'knowledge',
    'zhcore',
    'paths',
    'sandbox',
    'integrations',
    'tools',
    'agent',
  ],
  server: [
    'text',
    'code',
    'history',
    'embed',
    'knowledge',
    'zhcore',
    'paths',
    'sandbox',
    'integrations',
    'tools',
    'agent',
  ],
  // Runs in browsers: of the server it knows types only.
  client: ['server'],
};

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `src/${room} may import: ${['itself', ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^(src|graphs|test|evals)/', pathNot: [`^src/(${[room, ...allowed].join('|')})/`, '^src/[^/]+\\.ts$'] },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'root-files-stand-alone',
      comment: 'src/*.ts is the ground floor: it may not look into a room',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$' },
      to: { path: '^src/[^/]+/' },
    },
    {
      name: 'langchain-only-in-agent-and-tools',
      comment: 'LangChain and LangGraph stay in src/tools, src/agent and graphs',
      severity: 'error',
      from: { path: '^(src|graphs)/', pathNot: '^(src/(tools|agent)|graphs)/' },
      to: { path: 'node_modules/(@langchain/|langsmith/)' },
    },
    {
      name: 'client-runs-anywhere',
      comment: 'src/client takes types from the server, nothing that runs, and nothing of Node',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { pathNot: '^src/client/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'graphs-know-only-the-agent',
      severity: 'error',
      from: { path: '^graphs/' },
      to: { path: '^src/', pathNot: '^src/agent/' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'not-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
