import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { coerced, modelParameters, openParameters, statedParameters } from '../../src/agent/parameters.js';
import { EXECUTE_TOOLS, READ_TOOLS } from '../../src/tools/index.js';
import { envOf, fakeModel, makeRepo, removeRepo } from './support.js';

const tool = (name: string) => EXECUTE_TOOLS.find((t) => t.name === name)!;
const restart = {
  ...tool('run_tests'),
  name: 'restart_service',
  input: z.object({
    service: z.enum(['order', 'gateway']).describe('服务名'),
    count: z.number().int().max(10).default(1).describe('几台'),
    force: z.boolean().optional().describe('强制'),
  }),
};

describe('parameters that the words state', () => {
  it.each([
    ['重启 gateway', { service: 'gateway' }],
    ['重启 gateway 3 台', { service: 'gateway', count: 3 }],
    ['重启 order 和 gateway', {}],
    ['重启 reorder-job', {}],
    ['重启一下服务', {}],
    ['404 了，重启 order', { service: 'order' }],
    ['重启 order 99 台', { service: 'order' }],
  ])('%s', (text, input) => {
    expect(statedParameters(restart, text)).toEqual(input);
  });

  it.each([
    ['search_code', '搜一下「退款超时」', { pattern: '退款超时' }],
    ['search_code', '搜一下 cancelExpired', { pattern: 'cancelExpired' }],
    ['search_code', '搜一下 cancelExpired 和 closeOrder', {}],
    ['search_code', '搜一下 "404"', { pattern: '404' }],
    ['git_log', '看最近 5 条提交', { count: 5 }],
    ['git_log', '看 2024 年的提交', {}],
    ['run_command', '跑一下 npm run lint', { command: 'npm run lint' }],
    ['run_command', '跑一下 lint', {}],
  ])('%s: %s', (name, text, input) => {
    expect(statedParameters(tool(name), text)).toEqual(input);
  });
});

describe('parameters that people typed', () => {
  it('take the type that the contract wants; what does not fit is asked for again', () => {
    expect(coerced(restart, { service: 'order', count: '3', force: '是' })).toEqual({
      service: 'order',
      count: 3,
      force: true,
    });
    expect(openParameters(restart, { count: 3 })).toEqual([
      { name: 'service', explain: '服务名', choices: ['order', 'gateway'] },
    ]);
    const [open] = openParameters(restart, { service: 'redis' });
    expect(open).toMatchObject({ name: 'service', choices: ['order', 'gateway'] });
    expect(open!.explain).toContain('「redis」不合要求');
    expect(openParameters(restart, { service: 'order' })).toEqual([]);
    expect(coerced(tool('search_code'), { pattern: 404 })).toEqual({ pattern: '404' });
  });
});

describe('parameters by the model', () => {
  it('are only known ones, and a model that fails or talks gives none', async () => {
    const repo = makeRepo({ 'a.ts': 'export {};\n' });
    try {
      const ask = async (said: string | Error) =>
        modelParameters(
          READ_TOOLS[3]!,
          '搜退款',
          await envOf(
            repo,
            fakeModel(() => {
              if (said instanceof Error) throw said;
              return said;
            }),
          ),
        );
      const good = await ask('{"pattern":"退款","scope":null,"regex":"","made_up":1}');
      expect(good.input).toEqual({ pattern: '退款' });
      expect(good.usage).toMatchObject({ input: 10, output: 5, calls: 1 });
      expect((await ask('我不确定')).input).toEqual({});
      const { XiheError } = await import('../../src/errors.js');
      expect(await ask(new XiheError('MODEL_UNREACHABLE', '连不上', { hint: '' }))).toEqual({ input: {} });
      await expect(ask(new XiheError('CANCELLED', '已取消', { hint: '' }))).rejects.toMatchObject({
        code: 'CANCELLED',
      });
      expect(await modelParameters(READ_TOOLS[3]!, '搜退款', await envOf(repo))).toEqual({ input: {} });
    } finally {
      removeRepo(repo);
    }
  });
});
