import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HumanMessage } from '@langchain/core/messages';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { conversationOf, makeNode } from '../../src/agent/node.js';
import { openProject } from '../../src/agent/project.js';
import { type PromptName, prompt } from '../../src/agent/prompts.js';
import { packageRoot } from '../../src/assets.js';
import { makeRepo, NO_VECTORS, removeRepo, stateOf } from './support.js';

let repo: string;
beforeEach(() => {
  repo = makeRepo({ 'a.ts': 'export {};\n' });
});
afterEach(() => removeRepo(repo));

describe('a node', () => {
  const run = (allowedRepos: string[] | undefined, asked: string | undefined, noModel = false) => {
    const deps = {
      defaultRepo: repo,
      ...(allowedRepos ? { allowedRepos } : {}),
      openProject: (r: string) => openProject(r, NO_VECTORS),
    };
    const node = makeNode('x', { ...deps, openModel: () => ({ name: 'm' }) as never }, (_, env) => ({
      answered: `${env.project.layout.root === repo} ${env.model?.name} ${env.thread}`,
    }));
    const state = stateOf('问', 'qa');
    state.request = { ...state.request!, ...(asked ? { repo: asked } : {}), options: { noModel, autoApprove: 'none' } };
    return node(state, { configurable: { thread_id: 't1' } });
  };

  it('opens the project of the request, or the default one, and counts its time', async () => {
    expect(await run([repo], undefined)).toMatchObject({ answered: 'true m t1' });
    const update = await run(undefined, repo, true);
    expect(update).toMatchObject({ answered: 'true undefined t1' });
    expect(update.elapsedMs).toBeGreaterThanOrEqual(0);
  });

  it('refuses a project that the server does not serve, however it is written', async () => {
    for (const other of ['/', `${repo}/..`, `${repo}/`, `${repo}-other`])
      await expect(run([repo], other), other).rejects.toMatchObject({ code: 'REPO_NOT_ALLOWED' });
    await expect(run([], undefined)).rejects.toMatchObject({ code: 'REPO_NOT_ALLOWED' });
  });

  it('works on the conversation of its own task', () => {
    const message = (id: string) => new HumanMessage({ id, content: id });
    const messages = ['request-1', 'task-1-0', 'x', 'task-1-1', 'y'].map(message);
    expect(conversationOf(stateOf('改', 'edit', { messages })).map((m) => m.id)).toEqual(['task-1-1', 'y']);
    expect(conversationOf(stateOf('改', 'edit', { messages: messages.slice(0, 1) }))).toEqual([]);
  });
});

describe('prompts', () => {
  const dir = join(packageRoot(), 'src/agent/prompts');

  it.each(readdirSync(dir))('%s: every placeholder must be filled, values stay text', (file) => {
    const name = file.replace('.md', '') as PromptName;
    const keys = [...readFileSync(join(dir, file), 'utf8').matchAll(/\{\{(\w+)\}\}/g)].map((m) => m[1]!);
    const values = Object.fromEntries(keys.map((key) => [key, `$& {{${key}}} 值`]));
    const text = prompt(name, values);
    for (const key of keys) expect(text).toContain(`$& {{${key}}} 值`);
    for (const key of keys) {
      const { [key]: _left, ...rest } = values;
      expect(() => prompt(name, rest)).toThrow(key);
    }
  });
});
