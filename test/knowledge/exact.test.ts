import { describe, expect, it } from 'vitest';
import { KnowledgeBase } from '../../src/knowledge/index.js';
import { document, tree } from './support.js';

const doc = (title: string, keywords: string, summary = `${title}的说明`) =>
  document({ title, keywords, summary }, `${title}的正文。\n`);

const base = () =>
  KnowledgeBase.open([
    {
      dir: tree({
        'es.md': doc('搜索集群', '[ES, Elasticsearch]'),
        'db.md': doc('数据库手册', '[数据库, 数据库超时]'),
        'timeout.md': doc('超时约定', '[超时]'),
        'a-timeout.md': doc('等待约定', '[超时]'),
        'lang.md': doc('语言', '["C++", "C#", .NET, Node.js, Go, I/O]'),
        'status.md': doc('状态码一览', '["404", ERR_TIMEOUT, ERR_TIMEOUT_READ]'),
        'spring.md': doc('框架', '["Spring Boot", "@Transactional", --force]'),
        'cache.md': doc('缓存约定', '[快取, 伺服器]'),
      }),
      layer: 'project',
    },
  ]);

/** Titles of the documents that a query names, best first. */
const titles = (query: string) => {
  const { primary } = base().lookup(query, undefined, { exactOnly: true });
  return primary === null ? [] : [primary.title, ...(primary.others ?? []).map(({ title }) => title)];
};

describe('a Latin keyword', () => {
  it.each(['跑 test 报错', 'ES6 的语法', 'ES_HOST 没有配置', 'processes', '4041', 'Golang 教程', 'a.cc', 'Node.jsx'])(
    'is not inside another word: %s',
    (query) => expect(titles(query)).toEqual([]),
  );

  it.each([
    ['接入ES集群', '搜索集群'],
    ['es', '搜索集群'],
    ['ES-01 节点', '搜索集群'],
    ['（ＥＳ）慢', '搜索集群'],
    ['elasticSearch 慢', '搜索集群'],
    ['C++11 怎么编译', '语言'],
    ['ASP.NET 项目', '语言'],
    ['ｎｏｄｅ．ｊｓ 升级', '语言'],
    ['读写i/o高', '语言'],
    ['接口返回404了', '状态码一览'],
    ['err_timeout', '状态码一览'],
    ['spring  boot 升级', '框架'],
    ['@transactional 不生效', '框架'],
    ['git push --force 之后', '框架'],
  ])('counts beside Chinese, marks and in any case and width: %s', (query, title) =>
    expect(titles(query)[0]).toBe(title),
  );
});

describe('Chinese', () => {
  it.each([
    ['資料庫', '数据库手册'],
    ['資料庫連線失敗', '数据库手册'],
    ['資料庫逾時', '数据库手册'],
    ['緩存', '缓存约定'],
    ['缓存', '缓存约定'],
    ['服务器', '缓存约定'],
  ])('is compared in simplified characters and mainland words, on both sides: %s', (query, title) =>
    expect(titles(query)[0]).toBe(title),
  );

  it('逾時 is 超时', () => expect(titles('呼叫逾時怎麼辦')).toEqual(['等待约定', '超时约定']));
});

describe('several hits', () => {
  it('come with the longest keyword first, then more keywords, then by title', () => {
    expect(titles('ES 查数据库超时')).toEqual(['数据库手册', '搜索集群']);
    expect(titles('ERR_TIMEOUT_READ 和 404')).toEqual(['状态码一览']);
    expect(titles('超时')).toEqual(['等待约定', '超时约定']);
    expect(titles('Elasticsearch 和 ES，超时')).toEqual(['搜索集群', '等待约定', '超时约定']);
  });
});
