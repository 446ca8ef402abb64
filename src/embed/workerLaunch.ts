import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { assetPath } from '../assets.js';
import type { WorkerInput } from './worker.js';

/**
 * Starts a worker thread, from the bundle in `dist/` or, in a checkout, from the TypeScript source.
 *
 * The parent's flags are not handed down: a loader or a profiler of the parent has no business in there.
 */
export function launchWorker(input: WorkerInput): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(assetPath('dist', 'embed', 'worker.js'), { workerData: input, execArgv: [] });
  // Node can't read TypeScript by itself before 22.18: tsx, which a checkout has, is registered first.
  const entry = pathToFileURL(assetPath('src', 'embed', 'worker.ts')).href;
  const boot = `import(${JSON.stringify(tsxApi())}).then((tsx) => { tsx.register(); return import(${JSON.stringify(entry)}); });`;
  return new Worker(boot, { eval: true, workerData: input, execArgv: [] });
}

/** URL of tsx's interface for ES modules. `require.resolve` would give the CommonJS one, which can't register in a thread. */
function tsxApi(): string {
  const manifest = createRequire(import.meta.url).resolve('tsx/package.json');
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  return pathToFileURL(join(dirname(manifest), exports['./esm/api'].import.default)).href;
}
