import { describe, expect, it } from 'vitest';
import { XiheError } from '../../src/errors.js';
import { parseFrontMatter } from '../../src/knowledge/index.js';

function faultOf(text: string): { line: unknown; message: string } {
  try {
    parseFrontMatter(text);
  } catch (e) {
    if (!XiheError.is(e, 'FRONT_MATTER_INVALID')) throw e;
    return { line: e.details.line, message: e.message };
  }
  throw new Error('expected a fault');
}

describe('parseFrontMatter', () => {
  it('splits front matter and body and knows where each stands', () => {
    const front = parseFrontMatter('---\ntitle: 错误码\nkeywords: [ERR_TIMEOUT, 超时]\n---\n\n# 正文\n---\n末行');
    expect(front.data).toEqual({ title: '错误码', keywords: ['ERR_TIMEOUT', '超时'] });
    expect(front.body).toBe('\n# 正文\n---\n末行');
    expect(front.bodyLine).toBe(5);
    expect(front.lineOf(['keywords'])).toBe(3);
    expect(front.bom).toBe(false);
  });

  it('reads CRLF, trailing blanks behind the dashes, and tells a BOM apart', () => {
    const front = parseFrontMatter('\uFEFF--- \r\ntitle: 标题\r\n---\r\n正文\r\n');
    expect(front).toMatchObject({ bom: true, data: { title: '标题' }, body: '正文\n', bodyLine: 4 });
  });

  it.each([
    ['\n\n---\ntitle: x\n---\n', 1, '空行'],
    ['# 标题\n---\na: b\n---\n', 1, '缺少文件头'],
    ['  ---\ntitle: x\n---\n', 1, '空格'],
    ['\r\n---\r\ntitle: x\r\n---\r\n', 1, '--- 在第 2 行'],
    [' \t\n---\ntitle: x\n---\n', 1, '空行'],
    ['\u200b---\ntitle: x\n---\n', 1, '看不见的字符'],
    ['\uFEFF\uFEFF---\ntitle: x\n---\n', 1, '看不见的字符'],
    ['----\ntitle: x\n----\n', 1, '三个半角减号'],
    ['———\ntitle: x\n———\n', 1, '三个半角减号'],
    ['---\ntitle: x\n# 标题\n正文没有冒号\n\n---\n', 4, '缺少'],
    ['', 1, '缺少文件头'],
    ['---\ntitle: x\n', 1, '没有结束'],
    ['---\ntitle: x\nkeywords: [a, b\n---\n', 3, '方括号'],
    ['---\ntitle: x\n\tsummary: y\n---\n', 3, '制表符'],
    ['---\ntitle: a\nnote: b: c\n---\n', 3, '冒号'],
    ['---\ntitle: a\ntitle: b\n---\n', 3, '重复'],
    ['---\n- a\n- b\n---\n', 2, '键: 值'],
  ])('names the line and the reason: %j', (text, line, reason) => {
    const fault = faultOf(text);
    expect(fault.line).toBe(line);
    expect(fault.message).toContain(reason);
  });

  it('says in which line the dashes were found', () => {
    expect(faultOf('\n\n---\ntitle: x\n---\n').message).toContain('--- 在第 3 行');
  });
});
