import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assetPath, packageRoot } from '../../src/assets.js';
import { loadKnowledge, parseFrontMatter } from '../../src/knowledge/index.js';
import { openZhCore } from '../../src/zhcore/index.js';
import { termsOf, warningsOf } from './entries.js';

const core = openZhCore({ generalDir: packageRoot() });
const SOURCE = /^(?:https:\/\/\S+|业内通用叫法|业内通行做法)$/;

function markdownBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/readme\.md$/i.test(name))
    .map((name) => join(dir, name));
}

describe('the general layer', () => {
  it('loads without a problem', () => {
    expect(core.problems).toEqual([]);
    const { problems, documents } = loadKnowledge(assetPath('knowledge'), 'general');
    expect(problems).toEqual([]);
    expect(documents.length).toBeGreaterThanOrEqual(10);
  });

  it('has unique ids that say that they are general', () => {
    const ids = [...termsOf(), ...warningsOf()].map((entry) => entry.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^g-[a-z0-9-]+$/);
  });

  it('gives a source and a review date for every entry', () => {
    for (const entry of [...termsOf(), ...warningsOf()]) {
      expect([entry.id, entry.source]).toEqual([entry.id, expect.stringMatching(SOURCE)]);
      expect(entry.reviewed_at).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });

  it('writes front matter at byte 0, with a source', () => {
    for (const file of [...markdownBelow(assetPath('knowledge')), ...markdownBelow(assetPath('playbooks'))]) {
      const text = readFileSync(file, 'utf8');
      expect([relative(packageRoot(), file), text.startsWith('---\n')]).toEqual([relative(packageRoot(), file), true]);
      expect(parseFrontMatter(text).data.source).toMatch(SOURCE);
    }
  });
});

describe('terms', () => {
  const terms = termsOf();

  it('are candidates, never sure, and belong to no module of a project', () => {
    expect(terms.length).toBeGreaterThanOrEqual(470);
    for (const term of terms) {
      expect([term.id, term.status]).toEqual([term.id, 'candidate']);
      expect(['medium', 'low']).toContain(term.confidence);
      expect(term.module).toBeUndefined();
    }
  });

  it('share no word: each word leads to one general term', () => {
    const seen = new Map<string, string>();
    for (const term of terms) {
      for (const word of [term.keyword_ch, ...(term.aliases ?? [])]) {
        expect([word, seen.get(word)]).toEqual([word, undefined]);
        seen.set(word, term.id);
      }
    }
  });

  it('name symbols that are not everyday words of code', () => {
    const everyday =
      /^(?:id|name|type|status|state|code|data|list|user|order|version|role|mask|log|date|time|key|value|index|item|message|result)$/i;
    for (const term of terms) {
      expect(term.code_symbols.length).toBeGreaterThan(0);
      for (const symbol of term.code_symbols) expect([term.id, everyday.test(symbol)]).toEqual([term.id, false]);
    }
  });
});

describe('documents', () => {
  const { chunks } = loadKnowledge(assetPath('knowledge'), 'general');

  it('are cut into chunks of 300 to 800 characters', () => {
    for (const chunk of chunks) {
      expect([chunk.id, chunk.content.length >= 300 && chunk.content.length <= 800]).toEqual([chunk.id, true]);
    }
  });

  it.each([
    ['微信支付回调验签', 'Wechatpay-Signature'],
    ['Wechatpay-Serial', 'PUB_KEY_ID_'],
    ['微信支付退款', 'out_refund_no'],
    ['企业微信机器人', '4096'],
    ['CSV 乱码', 'BOM'],
    ['utf8mb4', 'utf8mb3'],
    ['MAX_SAFE_INTEGER', '9007199254740991'],
    ['证书链不完整', '中间证书'],
    ['支付宝异步通知', 'TRADE_SUCCESS'],
  ])('answer %s', (query, fact) => {
    const result = core.lookup(query);
    expect(result.found).toBe(true);
    expect(result.primary?.content).toContain(fact);
    expect(result.primary?.source).toMatch(/^knowledge\/.*\.md$/);
  });
});

describe('beside a project', () => {
  const withMall = openZhCore({ generalDir: packageRoot(), projectDir: assetPath('examples', 'mall', '.xihe') });
  const ask = (userIntent: string) => withMall.query({ userIntent, codeSymbols: [], taskType: 'general' });

  it.each(['下单超时没付款的单子，关单时加一次重试', '给订单加上仅退款', '导出订单乱码', '库存预占没有释放'])(
    'comes after what the project says: %s',
    (text) => {
      const layers = ask(text).terms.map((hit) => hit.provenance.layer);
      expect(layers[0]).toBe('project');
    },
  );

  it('is silent where nothing of it is meant', () => {
    const plain = openZhCore({ generalDir: packageRoot() });
    for (const userIntent of ['把首页标题改成蓝色', '今天天气怎么样', '推送代码到远程仓库', '这个函数是做什么的']) {
      const result = plain.query({ userIntent, codeSymbols: [], taskType: 'general' });
      const ids = [...result.terms, ...result.warnings, ...result.playbooks].map((hit) => hit.entry.id);
      expect([userIntent, ids]).toEqual([userIntent, []]);
    }
  });
});
