import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEVELOPER_WORDS } from '../../src/text/devwords.js';
import { DICTIONARY_TOTAL } from '../../src/text/dictionary.js';
import { addUserWords, bigrams, contentWords, isStopWord, normalise, segment } from '../../src/text/index.js';
import { jiebaDictionary, jiebaModule } from '../../src/text/lazy.js';
import { LightCutter } from '../../src/text/lightCutter.js';

describe('segment', () => {
  it('cuts requirements into the words of the trade', () => {
    expect(segment('下单超时没付款的单子，关单时加一次重试')).toEqual([
      ...['下单', '超时', '没', '付款', '的', '单子', '关单', '时', '加', '一次', '重试'],
    ]);
    expect(segment('回调验签用什么字段？')).toEqual(['回调', '验签', '用', '什么', '字段']);
  });

  it('gives long words with their parts', () => {
    expect(segment('新增支付渠道')).toEqual(['新增', '支付', '渠道', '支付渠道']);
  });

  it('cuts the same requirement in both scripts alike', () => {
    expect(contentWords('伺服器連線逾時，請重試')).toEqual(contentWords('服务器连接超时，请重试'));
  });

  it('leaves identifiers out, whole', () => {
    expect(segment('把OrderService.cancelExpired改成异步')).toEqual(['把', '改成', '异步']);
  });

  it('gives unknown words as bigrams, and never makes words up across stop words', () => {
    expect(segment('驭衡系统')).toEqual(['驭衡', '系统']);
    expect(segment('关单时加')).not.toContain('时加');
  });

  it('cuts English at its words', () => {
    expect(segment('retry the order')).toEqual(['retry', 'the', 'order']);
  });

  it('keeps words whole that the caller adds, also after the dictionary is loaded', () => {
    expect(segment('跑一次驭衡灰度切流')).not.toContain('驭衡灰度');
    addUserWords(['馭衡灰度', 'not chinese', '单']);
    expect(segment('跑一次驭衡灰度切流')).toContain('驭衡灰度');
  });
});

describe('contentWords', () => {
  it('gives identifiers whole and in parts, and words without stop words', () => {
    expect(contentWords('麻烦帮我看下 OrderService.cancelExpired 怎么重试？')).toEqual([
      ...['orderservice.cancelexpired', 'order', 'service', 'cancel', 'expired', '重试'],
    ]);
  });

  it('cuts the Chinese parts of paths', () => {
    expect(contentWords('docs/payment/接入指南.md')).toEqual([
      'docs/payment/接入指南.md',
      'docs',
      'payment',
      '接入',
      '指南',
      'md',
    ]);
  });

  it('keeps repeats, since their number counts', () => {
    expect(contentWords('退款、退款、退款')).toEqual(['退款', '退款', '退款']);
  });

  it('keeps negations: 未付款 is not 付款', () => {
    expect(contentWords('未付款订单')).toContain('未付款');
    expect(isStopWord('不')).toBe(false);
  });
});

describe('normalise', () => {
  it('gives every form of one text', () => {
    expect(normalise('請問 ERR_TIMEOUT 為什麼會逾時？逾時怎麼辦')).toEqual({
      original: '請問 ERR_TIMEOUT 為什麼會逾時？逾時怎麼辦',
      folded: '请问 err_timeout 为什么会超时?超时怎么办',
      identifiers: ['ERR_TIMEOUT'],
      words: ['超时'],
    });
  });

  it('survives empty and blank text', () => {
    expect(normalise('')).toEqual({ original: '', folded: '', identifiers: [], words: [] });
    expect(normalise(' \n').words).toEqual([]);
  });
});

describe('isStopWord', () => {
  it('knows question words and polite words, and no words of the trade', () => {
    for (const word of ['什么', '怎么', '吗', '请', '麻烦', '帮我', 'the', 'please'])
      expect(isStopWord(word), word).toBe(true);
    for (const word of ['订单', '退款', '超时', '不', '未', 'order']) expect(isStopWord(word), word).toBe(false);
  });
});

describe('bigrams', () => {
  it('pairs neighbouring characters within runs, folded', () => {
    expect(bigrams('超時關單 abc 退')).toEqual(['超时', '时关', '关单', '退']);
  });
});

describe('results that are remembered', () => {
  it('are cut anew when a word is taught', () => {
    const before = segment('验货单复核');
    addUserWords(['验货单复核']);
    expect(segment('验货单复核')).toContain('验货单复核');
    expect(before).not.toContain('验货单复核');
  });

  it('are not shared: whoever changes one changes nobody else’s', () => {
    segment('订单导出').push('x');
    expect(segment('订单导出')).not.toContain('x');
  });
});

describe('LightCutter', () => {
  const light = new LightCutter(jiebaDictionary());
  const jieba = jiebaModule().Jieba.withDict(jiebaDictionary());
  const added = [...DEVELOPER_WORDS, '驭衡灰度', '订单'];
  light.add(added, 2000);
  jieba.loadDict(Buffer.from(added.map((word) => `${word} 2000 n\n`).join('')));
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

  it('stands on a dictionary that is sorted and adds up', () => {
    const lines = Buffer.from(jiebaDictionary()).toString('utf8').trimEnd().split('\n');
    const words = lines.map((line) => Buffer.from(line.slice(0, line.indexOf(' '))));
    expect(words.findIndex((word, i) => i > 0 && Buffer.compare(words[i - 1]!, word) >= 0)).toBe(-1);
    expect(lines.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).toBe(DICTIONARY_TOTAL);
  });

  it.each(['README.md', 'CONTRIBUTING.md', 'docs/data.md', 'src/text/stopwords.ts', 'src/text/regional.ts'])(
    'cuts every line of %s as jieba does',
    (path) => {
      for (const line of read(path).toLowerCase().split('\n')) {
        expect(light.cut(line)).toEqual(jieba.cut(line, false));
        expect(light.cutForSearch(line)).toEqual(jieba.cutForSearch(line, false));
      }
    },
  );

  it('cuts odd text as jieba does', () => {
    const pieces = [
      '订单',
      '驭衡灰度',
      'a',
      '9',
      '.',
      '%',
      ' ',
      '\r\n',
      '\t',
      '😀',
      '\u{20BB7}',
      '々',
      '龢',
      '的',
      'GB',
      '-',
      '_',
      '，',
      '号店',
      '1',
    ];
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let i = 0; i < 400; i++) {
      const text = Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join('');
      expect(light.cut(text), JSON.stringify(text)).toEqual(jieba.cut(text, false));
      expect(light.cutForSearch(text), JSON.stringify(text)).toEqual(jieba.cutForSearch(text, false));
    }
  });

  it('gives way to jieba itself where much is cut, without a seam', () => {
    addUserWords(['缝隙切换词']);
    const before = segment('这是缝隙切换词的说明');
    for (let i = 0; i < 60; i++) segment(`${i}${'把订单的超时关单和库存回滚放进同一个事务里。'.repeat(20)}`);
    addUserWords(['另一个新词语']);
    expect(segment('这是缝隙切换词的说明')).toEqual(before);
    expect(segment('又是另一个新词语')).toContain('另一个新词语');
  });
});
