/** The scripted model server in a process of its own, for tests that block their own process or outlive a kill. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { assetPath } from '../../src/assets.js';
import type { RequestRecord } from './model-server.js';

export interface SpawnedModelServer {
  baseUrl: string;
  pid: number;
  /** Reads the records over HTTP. */
  requests(): Promise<RequestRecord[]>;
  /** Kills the process and waits for its end. */
  close(): Promise<void>;
}

/**
 * Starts `model-server-cli.ts` with a scenario file and waits until it listens.
 *
 * @param scenarioFile absolute path of a `.ts` (default export) or `.json` file
 * @throws when the process ends before it printed its URL; the message holds what it said on stderr
 */
export async function spawnModelServer(scenarioFile: string): Promise<SpawnedModelServer> {
  const cli = assetPath('test', 'support', 'model-server-cli.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', cli, '--scenario', scenarioFile, '--port', '0'], {
    cwd: assetPath(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const exited = once(child, 'exit');
  const firstLine = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const url = await Promise.race([firstLine.then(([line]) => line), exited.then(() => null)]);
  if (url === null) throw new Error(`model server did not start: ${said}`);
  return {
    baseUrl: url,
    pid: child.pid!,
    requests: async () => (await (await fetch(new URL('/__requests', url))).json()) as RequestRecord[],
    close: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
