import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with a small repository `fixtures/shop/` and the tasks. */
export function makeTasks(tasks: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-evals-'));
  const files: Record<string, string> = {
    ...Object.fromEntries(Object.entries(tasks).map(([name, text]) => [`${name}.yaml`, text])),
    'fixtures/shop/src/close.mjs': [
      '/** 超时关单 */',
      'export function closeExpired(orders, now) {',
      '  return orders.filter((order) => {',
      '    return order.at + 30 <= now;',
      '  });',
      '}',
      '',
    ].join('\n'),
    'fixtures/shop/.xihe/knowledge/terms/order.yaml': [
      '- id: close-expired',
      '  keyword_ch: 超时关单',
      '  aliases: [关单]',
      '  code_symbols: [closeExpired]',
      '  module: order',
      '  confidence: high',
      '  status: verified',
      '  source: repo://src/close.mjs',
      '  reviewed_at: 2026-11-30',
      '',
    ].join('\n'),
    'fixtures/shop/.xihe/knowledge/warnings/order.yaml': [
      '- id: no-now',
      '  danger: 时间从参数来，不取系统时间',
      '  severity: block',
      '  when:',
      "    paths: ['src/**']",
      "    added: ['Date\\.now']",
      '    keywords: [关单]',
      '  source: repo://src/close.mjs',
      '  confidence: high',
      '  status: verified',
      '  reviewed_at: 2026-11-30',
      '',
    ].join('\n'),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

/** A task that is right in every way. */
export const CLOSE = `id: close
class: 修改
fixture: fixtures/shop
title: 关单改成四十五分钟
request: 超时关单改成四十五分钟
why: 词要对上代码里的名字
deciding:
  terms: [close-expired]
  warnings: [no-now]
  files: [src/close.mjs]
touch: [src/**]
hidden:
  command: [node, hidden.test.mjs]
  files:
    hidden.test.mjs: |
      import assert from 'node:assert/strict';
      import { closeExpired } from './src/close.mjs';

      assert.equal(closeExpired([{ at: 0 }], 44).length, 0);
      assert.equal(closeExpired([{ at: 0 }], 45).length, 1);
solution:
  - path: src/close.mjs
    edits:
      - search: |
          return order.at + 30 <= now;
        replace: |
          return order.at + 45 <= now;
wrong:
  - why: 改成了四十
    caught_by: hidden
    does:
      - path: src/close.mjs
        edits: [{ search: 'at + 30', replace: 'at + 40' }]
  - why: 取了系统时间
    caught_by: warning
    does:
      - path: src/close.mjs
        edits: [{ search: '<= now', replace: '<= Date.now()' }]
`;

/** A question. */
export const ASK = `id: ask
class: 总结
fixture: fixtures/shop
title: 多久关单
request: 超时关单是多久？
why: 数字在代码里
deciding:
  terms: [close-expired]
facts:
  must: ['30|三十']
  never: ['45']
solution: 30 分钟。
wrong:
  - why: 说错了
    does: 45 分钟。
    caught_by: fact
`;
