import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyMall, modelEnv, removeDir, treeHash, xihe } from '../../support/mall.js';
import { xiheHere } from '../../support/mallHere.js';
import { type ModelServer, startModelServer } from '../../support/model-server.js';
import { RETRY_REQUEST, retryEdit, retryRules } from './scripts.js';

/** Every node that an edit passes. */
export const NODES = ['route', 'preread', 'plan', 'execute', 'tools', 'postcheck', 'confirm', 'apply', 'report'];

/** Starts a command that pauses at a point, kills it there with SIGKILL, and waits for its end. */
async function killAt(point: string, args: string[], env: Record<string, string>): Promise<void> {
  let reached = false;
  const result = await xihe(args, {
    env: { ...env, XIHE_PAUSE_IN: point },
    onStderr: (text, child) => {
      if (!text.includes(`paused in ${point}`)) return;
      reached = true;
      child.kill('SIGKILL');
    },
  });
  expect([reached, result.signal]).toEqual([true, 'SIGKILL']);
}

/** Points that lie behind the question: they are reached by a resume. */
const BEHIND = /^(?:confirm:after|apply|report)/;

/**
 * The cases of some points. They stand in two test files, so that two workers share what takes longest of all tests.
 *
 * @param points node for before its work, `node:after` for after it
 */
export function crashCases(points: readonly string[]): void {
  let mall: string;
  let server: ModelServer;
  beforeEach(async () => {
    mall = copyMall();
    server = await startModelServer({ rules: retryRules });
  });
  afterEach(async () => {
    await server.close();
    removeDir(mall);
  });

  describe('kill -9 in each node, then resume', () => {
    it.each(points)('%s: same result, nothing twice, tree untouched until apply', async (point) => {
      const env = { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: 'node -e 0' };
      const before = treeHash(mall);
      const run = ['run', RETRY_REQUEST, '--repo', mall, '--thread', 'k'];
      if (BEHIND.test(point)) {
        expect((await xiheHere(run, { env })).code).toBe(3);
        expect(treeHash(mall)).toBe(before);
        await killAt(point, ['resume', 'k', '--approve', '--repo', mall], env);
      } else await killAt(point, run, env);
      if (!point.startsWith('apply') && !point.startsWith('report')) expect(treeHash(mall)).toBe(before);

      // What was killed was a process of its own: of that, this one knows only what lies on disk.
      let resumed = await xiheHere(['resume', 'k', '--repo', mall, '--json'], { env });
      if (resumed.json.status === 'waiting')
        resumed = await xiheHere(['resume', 'k', '--approve', '--repo', mall, '--json'], { env });
      expect(resumed.json.error).toBeNull();
      expect(resumed.code).toBe(0);
      expect(resumed.json.status).toBe('done');

      const text = readFileSync(join(mall, retryEdit.path), 'utf8');
      expect(text.match(/private async releaseStock/g)).toHaveLength(1);
      const undone = await xiheHere(['undo', '--repo', mall, '--json']);
      expect(undone.code).toBe(0);
      expect(treeHash(mall)).toBe(before);
      const again = await xiheHere(['undo', '--repo', mall, '--json']);
      expect(again.code).toBe(1);
      expect(again.json.error.code).toBe('RECEIPT_NOT_FOUND');
    });
  });
}
