import { afterAll, describe, expect, it } from 'vitest';
import { defaultConfig } from '../../src/config.js';
import { openZhCore } from '../../src/zhcore/index.js';
import { ANSWERED, EVERYDAY } from './questions.js';

const core = openZhCore({ vectors: defaultConfig() });
afterAll(() => core.close());
/** Whole model loads count here, not how fast. */
const PATIENT = { budgetMs: 60_000 };

const documentsFor = async (userIntent: string) => {
  const { knowledge, degraded } = await core.ask({ userIntent, codeSymbols: [], taskType: 'general' }, PATIENT);
  expect(degraded).toBeUndefined();
  return knowledge.map((hit) => hit.entry.documentId);
};

describe('what ships, asked by meaning as well', () => {
  it('answers what it is about', async () => {
    const missed: string[] = [];
    for (const [question, document] of ANSWERED)
      if (!(await documentsFor(question)).includes(document)) missed.push(question);
    expect(missed.length, missed.join('、')).toBeLessThanOrEqual(4);
  });

  it('answers questions that share few words with it', async () => {
    const missed: string[] = [];
    for (const [question, document] of [
      ['列表翻到后面几千页特别慢', 'database/mysql-deep-paging.md'],
      ['打中文拼音的时候敲回车就搜索了', 'frontend/ime-composition.md'],
      ['身份证最后一位是 X 算对不对', 'identity/id-card-number.md'],
      ['excel 打开导出的文件全是问号', 'export/csv-for-excel.md'],
    ] as const) {
      const { primary, supplement } = await core.askLookup(question, undefined, PATIENT);
      const sources = [primary?.source, supplement?.source];
      if (!sources.some((source) => source?.endsWith(document))) missed.push(`${question} → ${sources.join(' ')}`);
    }
    expect(missed).toEqual([]);
  });

  it('says nothing to nearly all requests of an ordinary day', async () => {
    const injected: string[] = [];
    const found: string[] = [];
    for (const request of EVERYDAY) {
      if ((await documentsFor(request)).length > 0) injected.push(request);
      if ((await core.askLookup(request, undefined, PATIENT)).found) found.push(request);
    }
    expect(injected.length, injected.join('、')).toBeLessThanOrEqual(2);
    expect(found.length, found.join('、')).toBeLessThanOrEqual(4);
  });
});
