import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanJson } from '../../src/cli/schemas/scan.js';
import { encodeText, readFileText } from '../../src/text/index.js';
import { WRITE_SCORE } from '../../src/zhcore/scan/index.js';
import { copyMall, removeDir, treeHash, xihe as xiheProcess } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';

let mall: string;
beforeAll(() => {
  mall = copyMall();
});
afterAll(() => removeDir(mall));

const SCANNED = '.xihe/knowledge/terms/scanned.yaml';

describe('xihe scan', () => {
  it('shows proposals with evidence that stands there, and writes nothing', async () => {
    const before = treeHash(mall);
    const run = await xihe(['scan', '--repo', mall, '--json', '--top', '40']);
    expect(run.code, run.stderr).toBe(0);
    expect(scanJson.parse(run.json)).toEqual(run.json);
    expect(run.json.proposals).toHaveLength(40);
    expect(run.json.written).toBeNull();
    for (const { evidence } of run.json.proposals) {
      for (const { file, line, kind, text } of evidence) {
        if (kind === 'commit') continue;
        const lines = readFileText(join(mall, file))
          .text.split('\n')
          .slice(Math.max(0, line - 12), line + 3)
          .join('\n');
        expect(lines, `${file}:${line}`).toContain(text.replace(/…$/, '').slice(0, 4));
      }
    }
    expect(treeHash(mall)).toBe(before);
  });

  it('prints the same for people: word, symbol, score, place and quotation, and how to write', async () => {
    const run = await xihe(['scan', '--repo', mall, '--top', '3']);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^ {2}1\. .+ → .+ {2}\d\.\d\d$/m);
    expect(run.stdout).toMatch(/^ {5}\S+:\d+ {2}\S+「.+」$/m);
    expect(run.stdout).toContain('xihe scan --write');
  });

  it('keeps to the folders that are named, and says what is nearest to a wrong one', async () => {
    const run = await xihe(['scan', 'src/coupon', '--repo', mall, '--json']);
    expect(run.json.proposals.length).toBeGreaterThan(0);
    for (const { evidence } of run.json.proposals) expect(evidence[0].file).toMatch(/^src\/coupon\//);
    const wrong = await xihe(['scan', 'src/cuopon', '--repo', mall, '--json']);
    expect(wrong.code).not.toBe(0);
    expect(wrong.json.error.code).toBe('PATH_NOT_FOUND');
    const said = await xihe(['scan', 'nodir', '--repo', mall]);
    expect(said.stderr).toContain('xihe tree');
    expect(said.stderr).not.toMatch(/lookup_file|load_context/);
  });
});

describe('xihe scan --write', () => {
  it('adds candidates that the core answers with, twice adds nothing, and a deleted one stays away', async () => {
    const dir = copyMall();
    try {
      const own = readFileSync(join(dir, '.xihe/knowledge/terms/order.yaml'));
      const first = await xihe(['scan', '--write', '--repo', dir, '--json', '--top', '20']);
      expect(first.code, first.stderr).toBe(0);
      expect(scanJson.parse(first.json)).toEqual(first.json);
      expect(first.json.written.added).toHaveLength(20);
      expect(readFileSync(join(dir, '.xihe/knowledge/terms/order.yaml')).equals(own)).toBe(true);
      const [{ keyword_ch: word, id }] = first.json.proposals;
      const core = await xihe(['core', word, '--repo', dir, '--json']);
      expect(core.json.problems).toEqual([]);
      expect(
        core.json.terms.some((term: { id: string; status: string }) => term.id === id && term.status === 'candidate'),
      ).toBe(true);
      const tree = treeHash(dir);
      const second = await xihe(['scan', '--write', '--repo', dir, '--json', '--top', '20']);
      expect(second.json).toMatchObject({
        proposals: [],
        written: { added: [], updated: [] },
        stats: { already_written: 20 },
      });
      expect(treeHash(dir)).toBe(tree);
      const text = readFileSync(join(dir, SCANNED), 'utf8');
      writeFileSync(join(dir, SCANNED), text.replace(new RegExp(`- id: ${id}\\n(?: {2}.*\\n)+\\n?`), ''));
      const third = await xihe(['scan', '--write', '--repo', dir, '--json', '--top', '20']);
      expect(third.json).toMatchObject({ written: { added: [] }, stats: { declined: 1, already_written: 19 } });
    } finally {
      removeDir(dir);
    }
  });

  it('without --top writes what is sure enough, says so, counts all of it again, and lint and stale agree that it stands', async () => {
    const dir = copyMall();
    try {
      const preview = await xihe(['scan', '--repo', dir]);
      const look = await xihe(['scan', '--repo', dir, '--json']);
      expect(scanJson.parse(look.json)).toEqual(look.json);
      const sure = look.json.wanted;
      expect(look.json.proposals).toHaveLength(Math.min(50, sure));
      expect(sure).toBeGreaterThan(50);
      expect(preview.stdout).toContain(`xihe scan --write 写入分数 ${WRITE_SCORE} 以上的 ${sure} 条`);
      const written = await xihe(['scan', '--write', '--repo', dir]);
      expect(written.stdout).toContain(`已写入 ${sure} 条候选（分数 ${WRITE_SCORE} 以上的全部`);
      const text = readFileSync(join(dir, SCANNED), 'utf8');
      const ids = [...text.matchAll(/^- id: (\S+)$/gm)].map(([, id]) => id!);
      expect(ids).toHaveLength(sure);
      const cut = ids
        .slice(-5)
        .reduce((rest, id) => rest.replace(new RegExp(`- id: ${id}\\n(?: {2}.*\\n)+\\n?`), ''), text);
      writeFileSync(join(dir, SCANNED), cut);
      const again = await xihe(['scan', '--repo', dir]);
      expect(again.stdout).toContain(`以前写的还在 ${sure - 5} 条，写过又被删掉 5 条`);
      const lint = await xihe(['lint', '--repo', dir, '--json']);
      expect(lint.json.findings.filter(({ rule }: { rule: string }) => rule === 'XL201')).toEqual([]);
      const stale = await xihe(['stale', '--repo', dir, '--json']);
      expect(stale.json.entries.filter(({ state }: { state: string }) => state === 'gone')).toEqual([]);
    } finally {
      removeDir(dir);
    }
  });

  it('says in --help what --write takes', async () => {
    const { stdout } = await xihe(['scan', '--help']);
    expect(stdout.replace(/\s+/g, '')).toContain(`--write写入分数${WRITE_SCORE}以上的全部`);
  });

  it('scan, lint and stale say the same of what a data file and a test still name', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-scan-'));
    try {
      mkdirSync(join(dir, 'src/test/java'), { recursive: true });
      mkdirSync(join(dir, 'postman'));
      mkdirSync(join(dir, '.xihe/knowledge/terms'), { recursive: true });
      writeFileSync(
        join(dir, '.xihe/knowledge/terms/own.yaml'),
        '- id: cancel\n  keyword_ch: 取消订单\n  code_symbols: [OrderDesk.cancelOrder, MemberDesk.delete]\n  status: verified\n',
      );
      writeFileSync(
        join(dir, 'src/OrderDesk.java'),
        'package a;\npublic class OrderDesk {\n  public void cancelByUser() {}\n}\n',
      );
      writeFileSync(
        join(dir, 'src/MemberDesk.java'),
        'package a;\npublic class MemberDesk {\n  public void delete() {}\n}\n',
      );
      writeFileSync(join(dir, 'postman/shop.json'), '{ "name": "cancelOrder" }');
      writeFileSync(join(dir, 'src/test/java/OrderDeskTest.java'), 'class OrderDeskTest { void cancelOrder() {} }\n');
      const scan = await xihe(['scan', '--repo', dir, '--json']);
      expect(scan.json.gone.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['OrderDesk.cancelOrder']);
      const lint = await xihe(['lint', '--repo', dir, '--json']);
      const dead = lint.json.findings.filter(({ rule }: { rule: string }) => rule === 'XL201');
      expect(dead).toHaveLength(1);
      expect(dead[0].message).toContain('OrderDesk.cancelOrder');
      const stale = await xihe(['stale', '--repo', dir, '--json']);
      expect(stale.json.entries.flatMap(({ gone }: { gone?: string[] }) => gone ?? [])).toEqual([
        'OrderDesk.cancelOrder',
      ]);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('follows a refactoring: its own candidate gets the new symbol, a verified term is only reported', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-scan-'));
    try {
      mkdirSync(join(dir, 'src'));
      mkdirSync(join(dir, '.xihe/knowledge/terms'), { recursive: true });
      const own =
        '- id: close\n  keyword_ch: 关单\n  code_symbols: [OrderService.closeTimeoutOrders]\n  status: verified\n';
      writeFileSync(join(dir, '.xihe/knowledge/terms/own.yaml'), own);
      const service =
        'package a;\n/** 订单服务 */\npublic class OrderService {\n  /** 部分退款 */\n  public void refundPartially() {}\n  public void closeTimeoutOrders() {}\n}\n';
      writeFileSync(join(dir, 'src/OrderService.java'), service);
      const first = await xihe(['scan', '--write', '--repo', dir, '--json']);
      expect(first.json.gone).toEqual([]);
      expect(readFileSync(join(dir, SCANNED), 'utf8')).toContain('[OrderService.refundPartially]');
      writeFileSync(join(dir, 'src/OrderService.java'), 'package a;\n/** 订单服务 */\npublic class OrderService {}\n');
      writeFileSync(
        join(dir, 'src/RefundDesk.java'),
        'package a;\npublic class RefundDesk {\n  /** 部分退款 */\n  public void refundPartially() {}\n  public void closeTimeoutOrders() {}\n}\n',
      );
      const look = await xihe(['scan', '--repo', dir]);
      expect(look.code).toBe(0);
      expect(look.stdout).toContain('符号不见了');
      expect(look.stdout).toContain('可能是 RefundDesk.closeTimeoutOrders（src/RefundDesk.java:5');
      const second = await xihe(['scan', '--write', '--repo', dir, '--json']);
      expect(second.code).toBe(0);
      expect(second.json.gone.map(({ symbol }: { symbol: string }) => symbol).sort()).toEqual([
        'OrderService.closeTimeoutOrders',
        'OrderService.refundPartially',
      ]);
      expect(second.json.written.updated).toMatchObject([
        { from: 'OrderService.refundPartially', to: 'RefundDesk.refundPartially' },
      ]);
      expect(readFileSync(join(dir, SCANNED), 'utf8')).toContain('[RefundDesk.refundPartially]');
      expect(readFileSync(join(dir, '.xihe/knowledge/terms/own.yaml'), 'utf8')).toBe(own);
      const third = await xihe(['scan', '--write', '--repo', dir, '--json']);
      expect(third.json.gone.map(({ symbol }: { symbol: string }) => symbol)).toEqual([
        'OrderService.closeTimeoutOrders',
      ]);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('reads GBK sources, folders with Chinese names, no git and no .xihe', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-扫描 '));
    try {
      mkdirSync(join(dir, '源码'));
      const text = 'package a;\r\n/** 会员等级 */\r\npublic class MemberLevel {}\r\n';
      writeFileSync(
        join(dir, '源码/MemberLevel.java'),
        encodeText(text, { text, encoding: 'gbk', bom: false, eol: 'crlf', finalNewline: true }),
      );
      writeFileSync(join(dir, '源码/x.java'), Buffer.from([0, 1, 2, 3, 0xff, 0xfe, 0, 0]));
      const run = await xihe(['scan', '--write', '--repo', dir, '--json']);
      expect(run.code, run.stderr).toBe(0);
      expect(run.json.proposals).toMatchObject([
        {
          keyword_ch: '会员等级',
          code_symbols: ['MemberLevel'],
          evidence: [{ file: '源码/MemberLevel.java', line: 3 }],
        },
      ]);
      expect(readFileSync(join(dir, SCANNED), 'utf8')).toContain('keyword_ch: 会员等级');
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('says where scan.yaml is broken, and leaves everything as it is', async () => {
    const dir = copyMall();
    try {
      writeFileSync(join(dir, '.xihe/scan.yaml'), 'ignore: []\nproposed: [x\n');
      const tree = treeHash(dir);
      const run = await xihe(['scan', '--write', '--repo', dir, '--json']);
      expect(run.code).toBe(1);
      expect(run.json.error).toMatchObject({ code: 'ENTRY_INVALID' });
      expect(run.json.error.message).toContain('.xihe/scan.yaml:');
      expect(existsSync(join(dir, SCANNED))).toBe(false);
      expect(treeHash(dir)).toBe(tree);
    } finally {
      removeDir(dir);
    }
  });

  it('Ctrl-C ends it with 130 and writes nothing', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-scan-'));
    try {
      execFileSync('git', ['init', '-q'], { cwd: dir });
      mkdirSync(join(dir, 'src'));
      const body = Array.from({ length: 400 }, (_, i) => `  /** 字段说明${i} */\n  private String f${i};\n`).join('');
      for (let i = 0; i < 400; i++)
        writeFileSync(join(dir, `src/A${i}.java`), `package a;\n/** 订单${i} */\npublic class A${i} {\n${body}}\n`);
      let sent = false;
      const run = await xiheProcess(['scan', '--write', '--repo', dir], {
        onStderr: (text, child) => {
          if (sent || !text.includes('正在读文件')) return;
          sent = true;
          child.kill('SIGINT');
        },
      });
      expect(sent, run.stderr).toBe(true);
      expect(run.code).toBe(130);
      expect(existsSync(join(dir, SCANNED))).toBe(false);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
