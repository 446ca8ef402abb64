import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelEnv, xihe } from '../../support/mall.js';
import { type Rule, startModelServer } from '../../support/model-server.js';
import { makeRepo, removeRepo } from '../support.js';
import { asks, calmReview } from './scripts.js';

const THINGS: Record<string, [path: string, name: string]> = {
  花灯: ['src/lantern.ts', 'LANTERNS'],
  风筝: ['src/kite.ts', 'KITES'],
};

const work: Rule = {
  when: asks.execute,
  reply: (req, { turn }) => {
    const [, thing] = /独立的一份：.*?(花灯|风筝)/.exec(String(req.messages[1]!.content))!;
    const [path, name] = THINGS[thing!]!;
    if (turn > 0) return '好了';
    return {
      toolCalls: [{ name: 'edit_file', args: { path, edits: [{ search: `${name} = `, replace: `${name} = 1` }] } }],
    };
  },
};

it('kill -9 when one sub-agent is done and the other has staged: each goes on where it was, no call and no edit twice', async () => {
  const repo = makeRepo({
    'src/lantern.ts': '/** 花灯：元宵挂在门口的灯。 */\nexport const LANTERNS = 1;\n',
    'src/kite.ts': '/** 风筝：清明放的纸鸢。 */\nexport const KITES = 1;\n',
  });
  const server = await startModelServer({ rules: [calmReview, work] });
  const env = { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: 'node -e 0', XIHE_EMBED_PROVIDER: 'none' };
  try {
    const said = ['run', '1. 把花灯的数目改成 11\n2. 把风筝的数目改成 11', '--repo', repo, '--thread', 'k'];
    let shown = '';
    const killed = await xihe(said, {
      // The edit is staged and not yet in a checkpoint: what runs again must not look for the text that it replaced.
      env: { ...env, XIHE_PAUSE_IN: 'part-2/agent:tools:after' },
      onStderr: (text, child) => {
        shown += text;
        if (/paused in/.test(shown) && /做完了：把花灯/.test(shown)) child.kill('SIGKILL');
      },
    });
    expect(killed.signal).toBe('SIGKILL');
    const before = server.chats().length;
    const waiting = await xihe(['resume', 'k', '--repo', repo, '--json'], { env });
    expect(waiting.json.status).toBe('waiting');
    // One turn of the sub-agent that was not done, and the review.
    expect(server.chats().slice(before)).toHaveLength(2);
    const done = await xihe(['resume', 'k', '--approve', '--repo', repo, '--json'], { env });
    expect(done.json).toMatchObject({ status: 'done', agents: [{ state: 'done' }, { state: 'done' }] });
    for (const [path, name] of Object.values(THINGS))
      expect(readFileSync(join(repo, path), 'utf8')).toContain(`${name} = 11;`);
  } finally {
    await server.close();
    removeRepo(repo);
  }
});
