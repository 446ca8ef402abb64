import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FeedingLedger, openPaths } from '../../src/paths/index.js';
import { Changeset } from '../../src/sandbox/index.js';
import { type AnyContract, callTool, type ToolContext, type ToolOutcome } from '../../src/tools/index.js';
import { makeRepo, removeRepo } from '../agent/support.js';

/** A project with a changeset on it, and calls of tools as a run makes them. */
export interface Bench {
  repo: string;
  changeset: Changeset;
  ctx: ToolContext;
  /** One call in the model's turn `turn`. */
  call(tool: AnyContract, args: Record<string, unknown>, turn?: number): Promise<ToolOutcome>;
  close(): void;
}

/** Opens a bench over these files; bytes are written as they are. */
export async function openBench(files: Record<string, string | Uint8Array>): Promise<Bench> {
  const repo = makeRepo(Object.fromEntries(Object.keys(files).map((path) => [path, ''])));
  for (const [path, content] of Object.entries(files)) writeFileSync(join(repo, path), content);
  const stateDir = join(repo, '.xihe/state');
  const changeset = Changeset.create(stateDir, repo, 'c');
  const feeding = new FeedingLedger();
  const ctx = {
    root: repo,
    stateDir,
    paths: await openPaths({ root: repo, stateDir }),
    changeset,
    caller: { name: 'tester', roles: ['reader', 'developer'] },
    thread: 't',
    callId: '',
    turn: 1,
    commandSeconds: 60,
    feeding,
    audit: () => {},
    fed: (entry: Parameters<ToolContext['fed']>[0]) => feeding.record(entry),
    progress: () => {},
  } as unknown as ToolContext;
  let calls = 0;
  return {
    repo,
    changeset,
    ctx,
    call(tool, args, turn = 1) {
      calls += 1;
      const callId = `call-${calls}`;
      const fed = (entry: Parameters<ToolContext['fed']>[0]) => feeding.record({ ...entry, call: callId });
      return callTool(tool, args, { ...ctx, callId, turn, fed });
    },
    close: () => removeRepo(repo),
  };
}
