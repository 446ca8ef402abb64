/**
 * A process of its own for tests that kill it: `child.ts <command> <json>…`. What it prints is JSON.
 */
import { appendFileSync } from 'node:fs';
import {
  AuditLog,
  Changeset,
  type RunRequest,
  runProcess,
  type SideEffect,
  SideEffectLedger,
  type StagedEdit,
  undo,
  withFileLock,
} from '../../src/sandbox/index.js';

const [command, ...rest] = process.argv.slice(2).map((a) => JSON.parse(a) as unknown) as [string, ...never[]];
const print = (value: unknown) => console.log(JSON.stringify(value));

const commands: Record<string, (...args: never[]) => unknown> = {
  stage(stateDir: string, root: string, id: string, edits: { edit: StagedEdit; key: string }[]) {
    const changeset = Changeset.create(stateDir, root, id);
    for (const { edit, key } of edits) changeset.stage(edit, key);
    return changeset.list();
  },
  apply: (stateDir: string, root: string, id: string) => Changeset.open(stateDir, root, id).apply(),
  undo: (stateDir: string, root: string, receipt: string | null) => undo(stateDir, root, receipt ?? undefined),
  run: (req: RunRequest) => runProcess(req),
  /** What would still keep the process from ending once a command is over. */
  async 'run-timers'(req: RunRequest) {
    await runProcess(req);
    return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  },
  'run-and-die': (req: RunRequest) =>
    runProcess({ ...req, onOutput: () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), 200) }),
  audit(stateDir: string, name: string, count: number, maxBytes: number) {
    const log = new AuditLog(stateDir, { maxBytes, keep: 1_000 });
    for (let i = 0; i < count; i++) {
      log.append({
        at: '',
        who: name,
        what: 'write',
        args: { i, text: '审计'.repeat(20) },
        result: 'ok',
        durationMs: 1,
      });
    }
  },
  lock(path: string, file: string, rounds: number) {
    for (let i = 0; i < rounds; i++) {
      withFileLock(path, () => {
        appendFileSync(file, '<');
        appendFileSync(file, '>');
      });
    }
  },
  'lock-and-die': (path: string) => withFileLock(path, () => process.kill(process.pid, 'SIGKILL')),
  effect(stateDir: string, effect: SideEffect, acts: string) {
    const ledger = new SideEffectLedger(stateDir);
    const begun = ledger.begin(effect);
    if (begun.state === 'new') {
      appendFileSync(acts, 'x');
      ledger.close(begun.key, { ok: true, token: 'sk-abcdefghijkl' });
    }
    return begun.state;
  },
};

try {
  print((await commands[command]!(...rest)) ?? null);
} catch (e) {
  print({ error: (e as { code?: string }).code ?? String(e), message: (e as Error).message });
  process.exitCode = 1;
}
