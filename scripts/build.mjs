// Bundles src/ into dist/ with esbuild (0.3 s) and makes the general layer ready (1 s). Pure-JavaScript libraries go into the bundle, because loading
// hundreds of files costs a cold start more than running them: LangChain alone half of the 0.9 s of `xihe graph`. Native packages stay outside.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { vendorMilvus } from './vendor-milvus.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** For browsers as well: built by itself, without what the others share. */
const CLIENT = 'client';
const rooms = readdirSync(join(root, 'src'), { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && entry.name !== CLIENT && existsSync(join(root, 'src', entry.name, 'index.ts')),
  )
  .map((entry) => `src/${entry.name}/index.ts`);

/** Packages that the bundle takes in: pure JavaScript, MIT, ISC, BSD or Apache (their licences go to dist/LICENSES.txt). */
const INLINE = [
  ...['zod', 'yaml', 'commander', 'picocolors', 'picomatch', 'ignore'],
  // LangChain, and what it depends on.
  ...['@langchain/core', '@langchain/langgraph', '@langchain/langgraph-checkpoint', '@langchain/openai', 'langsmith'],
  ...['openai', '@cfworker/json-schema', 'mustache', 'js-tiktoken', 'base64-js'],
  ...['p-queue', 'p-timeout', 'p-finally', 'eventemitter3'],
  // The MCP SDK, client and server, and what it depends on (0.6 MB here; as a dependency 20 MB, with a web server that no user needs).
  ...[
    '@modelcontextprotocol/sdk',
    'ajv',
    'ajv-formats',
    'fast-deep-equal',
    'fast-uri',
    'json-schema-traverse',
    'require-from-string',
  ],
  ...['eventsource', 'eventsource-parser', 'pkce-challenge', 'zod-to-json-schema'],
  // The HTTP service and `xihe mcp --http` (0.1 MB here).
  ...['hono', '@hono/node-server'],
  // What only `xihe server` loads: tokens, Postgres. (pg asks for its native half only when it is told to.)
  ...['jose', '@langchain/langgraph-checkpoint-postgres'],
  ...['pg', 'pg-pool', 'pg-protocol', 'pg-types', 'pg-connection-string', 'pgpass', 'pg-int8', 'split2', 'xtend'],
  ...['postgres-array', 'postgres-bytea', 'postgres-date', 'postgres-interval'],
];

rmSync(join(root, 'dist'), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  // Worker threads are started by the paths of their files, so they are entries of their own.
  entryPoints: [
    'src/errors.ts',
    'src/cli/main.ts',
    'src/embed/worker.ts',
    'src/paths/readWorker.ts',
    'src/zhcore/prepareShipped.ts',
    ...rooms,
  ],
  outdir: 'dist',
  outbase: 'src',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  charset: 'utf8',
  legalComments: 'linked',
  sourcemap: process.env.XIHE_SOURCEMAP ? 'linked' : false,
  plugins: [
    {
      name: 'external-but-inline',
      setup(b) {
        b.onResolve({ filter: /^[^./]/ }, (args) => {
          const name = args.path.startsWith('@') ? args.path.split('/').slice(0, 2).join('/') : args.path.split('/')[0];
          if (args.kind === 'entry-point' || INLINE.includes(name)) return undefined;
          return { path: args.path, external: true };
        });
      },
    },
  ],
  // CommonJS code inside the bundle (picomatch, ignore and others) may call require.
  banner: {
    js: "import { createRequire as __xiheRequire } from 'node:module'; const require = __xiheRequire(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
});
await build({
  absWorkingDir: root,
  entryPoints: [`src/${CLIENT}/index.ts`],
  outdir: `dist/${CLIENT}`,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  charset: 'utf8',
  logLevel: 'warning',
});
writeFileSync(join(root, 'dist', 'LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)));

// The two files of onnxruntime-web that are used (14 MB of 148): with them users need not install the package.
const ort = dirname(createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));
const vendor = join(root, 'dist', 'vendor', 'onnxruntime-web');
mkdirSync(vendor, { recursive: true });
for (const file of ['ort.wasm.bundle.min.mjs', 'ort-wasm-simd-threaded.wasm'])
  copyFileSync(join(ort, file), join(vendor, file));
copyFileSync(join(root, 'scripts', 'licenses', 'onnxruntime-web.txt'), join(vendor, 'LICENSE.txt'));
await vendorMilvus(root, join(root, 'dist', 'vendor', 'milvus2-sdk-node'));
const { prepareShipped } = await import(pathToFileURL(join(root, 'dist', 'zhcore', 'prepareShipped.js')).href);
prepareShipped(join(root, 'dist'));
writeFileSync(join(root, 'dist', '.built'), new Date().toISOString());

/** The licences of the packages that some files of a bundle come from. */
function licensesOf(inputs) {
  const dirs = new Set(inputs.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]));
  dirs.delete(undefined);
  return [...dirs]
    .sort()
    .map((dir) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'));
      const file = readdirSync(join(root, dir)).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? '' : readFileSync(join(root, dir, file), 'utf8');
      return `${name} ${version} (${license})\n\n${text}`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
