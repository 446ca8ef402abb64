import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyMall, removeDir } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';

let mall: string;
beforeAll(() => {
  mall = copyMall();
});
afterAll(() => removeDir(mall));

describe('xihe core', () => {
  it('shows all four lists, a playbook whole', async () => {
    const { stdout } = await xihe(['core', '新增支付渠道', '--repo', mall]);
    expect(stdout).toContain('【流程模板】');
    expect(stdout).toContain('docs/payment/接入指南.md');
  });

  it('finds its project from a folder inside it', async () => {
    const cwd = join(mall, 'src/order');
    const { stdout } = await xihe(['core', '超时关单'], { cwd });
    expect(stdout).toContain('超时关单 → OrderService.cancelExpired');
    expect(existsSync(join(cwd, '.xihe'))).toBe(false);
  });

  it('keeps to the budgets of the settings, and refuses a preset that is none', async () => {
    const shown = (stdout: string) => stdout.split('\n').filter((line) => /^- .*→/.test(line)).length;
    const request = '超时关单、仅退款、库存扣减、优惠券核销、回调验签、角色、下单';
    const usual = await xihe(['core', request, '--repo', mall]);
    const lean = await xihe(['core', request, '--repo', mall], { env: { XIHE_CORE_PRESET: 'lean' } });
    expect(shown(usual.stdout)).toBe(5);
    expect(shown(lean.stdout)).toBe(3);
    const wrong = await xihe(['core', request, '--repo', mall], { env: { XIHE_CORE_PRESET: 'tiny' } });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('XIHE_CORE_PRESET');
  });
});

describe('texts of entries on a terminal', () => {
  it('are shown, never obeyed', async () => {
    const knowledge = join(mall, '.xihe/knowledge');
    writeFileSync(
      join(knowledge, 'terms/evil.yaml'),
      '- id: evil\n  keyword_ch: 提货码\n  note: "看\\u001b[2J这里\\u202e"\n  code_symbols: [pickupCode]\n- id: "bad\\u001b[31m"\n',
    );
    mkdirSync(join(knowledge, 'pickup'), { recursive: true });
    writeFileSync(
      join(knowledge, 'pickup/code.md'),
      '---\ntitle: "提货码规则\\u001b]52;c;aGk=\\u0007"\nkeywords: [提货码规则]\nsummary: 规则\n---\n八位\u001b[31m数字。\n',
    );
    for (const args of [
      ['core', '提货码'],
      ['lookup', '提货码规则'],
    ]) {
      const { stdout, stderr } = await xihe([...args, '--repo', mall]);
      expect(stdout).toContain('提货码');
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });
});

describe('xihe lookup', () => {
  it('names what comes near when it has no answer', async () => {
    const { code, stdout } = await xihe(['lookup', '缓存击穿怎么防', '--repo', mall]);
    expect(code).toBe(1);
    expect(stdout).toContain('标题相近的有：《');
  });
});
