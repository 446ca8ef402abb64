/** A real Milvus server for tests: milvus-lite in a process group of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { milvusPython } from './milvus-python.js';

/** Ends with its parent, also when that is killed: its standard input closes then. */
const BOOT = `
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
from milvus_lite.cmdline import main
sys.exit(main(sys.argv[1:]))`;

const START_MS = 60_000;

export interface MilvusServer {
  /** `127.0.0.1:port`, the same after a restart. */
  readonly address: string;
  /** SIGKILL to the whole group, as a machine that loses power. */
  kill(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /** Stops it from answering without ending it, and the other way round. */
  pause(): void;
  resume(): void;
  /** Kills it and removes its data. */
  close(): Promise<void>;
}

/** @returns undefined where PyPI can't be reached, see `milvusPython` */
export async function startMilvus(): Promise<MilvusServer | undefined> {
  const python = await milvusPython();
  if (python === undefined) return undefined;
  const data = mkdtempSync(join(tmpdir(), 'xihe-milvus-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const signal = (name: NodeJS.Signals) => {
    if (child?.exitCode === null && child.signalCode === null) process.kill(-child.pid!, name);
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    signal('SIGKILL');
    await gone;
  };
  const start = async () => {
    child = spawn(python, ['-c', BOOT, 'server', '--data-dir', data, '--host', '127.0.0.1', '--port', String(port)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    await listening(child, port);
  };
  await start();
  return {
    address: `127.0.0.1:${port}`,
    kill,
    start,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    close: async () => {
      await kill();
      rmSync(data, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  const end = Date.now() + START_MS;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`milvus-lite did not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** A port that nothing listens on right now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
