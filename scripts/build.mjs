// Bundles src/ into dist/ with esbuild (0.3 s) and makes the general layer ready (1 s). Small pure-JavaScript libraries go into the bundle, because loading a
// hundred files costs a cold `xihe lookup` more than running them; native and LangChain packages stay outside.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { vendorMilvus } from './vendor-milvus.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = readdirSync(join(root, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(root, 'src', entry.name, 'index.ts')))
  .map((entry) => `src/${entry.name}/index.ts`);

/** Packages that the bundle takes in: pure JavaScript, MIT or ISC (their notices go to dist/*.LEGAL.txt). */
const INLINE = ['zod', 'yaml', 'commander', 'picocolors', 'picomatch', 'ignore'];

rmSync(join(root, 'dist'), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  // The embedding model's worker thread is started by the path of its file, so it is an entry of its own.
  entryPoints: ['src/errors.ts', 'src/cli/main.ts', 'src/embed/worker.ts', 'src/zhcore/prepareShipped.ts', ...rooms],
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
  // CommonJS code inside the bundle (picomatch, ignore) may call require.
  banner: {
    js: "import { createRequire as __xiheRequire } from 'node:module'; const require = __xiheRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
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
