import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readYaml } from '../../src/knowledge/index.js';
import { decodeText, encodeText } from '../../src/text/index.js';
import { openZhCore } from '../../src/zhcore/index.js';
import {
  type GoneSymbol,
  openRecord,
  type Proposal,
  readRecord,
  SCANNED_FILE,
  selectProposals,
  WRITE_SCORE,
  writeScanned,
} from '../../src/zhcore/scan/index.js';

const DAY = '2026-12-01';
/** These tests are about the project's layer alone, and loading what ships takes longer than all else. */
const NO_GENERAL = join(tmpdir(), 'xihe-no-general-layer');
const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function layer(files: Record<string, string | Uint8Array> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'xihe-scan-'));
  roots.push(root);
  const dir = join(root, '.xihe');
  mkdirSync(dir);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

const bytesOf = (dir: string, name = SCANNED_FILE) => readFileSync(join(dir, name));
const recordOf = (dir: string) => openRecord(dir);
const places = (dir: string) => ({ layerDir: dir, stateDir: join(dir, 'state') });
const termsOf = (dir: string) =>
  openZhCore({ projectDir: dir, generalDir: NO_GENERAL })
    .entries()
    .flatMap(({ type, entry }) => (type === 'term' && entry.provenance.layer === 'project' ? [entry] : []));

function proposal(id: string, given: Partial<Proposal> = {}): Proposal {
  const name = id.replace(/^s-/, '');
  return {
    id,
    keyword_ch: `词${name}`,
    aliases: [],
    code_symbols: [name],
    score: 0.6,
    evidence: [{ file: `src/${name}.ts`, line: 3, kind: 'doc', text: `词${name}` }],
    ...given,
  };
}

/** What the command does: choose, then write. */
function write(dir: string, proposals: Proposal[], gone: GoneSymbol[] = [], top = 100) {
  const record = recordOf(dir);
  return writeScanned(places(dir), selectProposals(proposals, record, termsOf(dir), { top }).fresh, gone, DAY);
}

describe('adding candidates', () => {
  it('makes the file with a header, in the format that the core loads', () => {
    const dir = layer();
    const report = write(dir, [
      proposal('s-oms-order', {
        keyword_ch: '订单',
        aliases: ['单子', 'a: b # c'],
        code_symbols: ['OmsOrder', 'GET /orders/{id}'],
        module: 'order',
        note: "0->待付款；1:'已付款' # x",
      }),
      proposal('s-low', { score: 0.2 }),
    ]);
    expect(report.added).toEqual(['s-oms-order', 's-low']);
    const text = bytesOf(dir).toString('utf8');
    expect(text).toMatch(/^# /);
    const core = openZhCore({ projectDir: dir, generalDir: NO_GENERAL });
    expect(core.problems).toEqual([]);
    const [order, low] = termsOf(dir);
    expect(order).toMatchObject({
      id: 's-oms-order',
      keyword_ch: '订单',
      aliases: ['单子', 'a: b # c'],
      code_symbols: ['OmsOrder', 'GET /orders/{id}'],
      module: 'order',
      note: "0->待付款；1:'已付款' # x",
      provenance: { status: 'candidate', confidence: 0.75, source: 'repo://src/oms-order.ts#L3', reviewedAt: DAY },
    });
    expect(low?.provenance.confidence).toBe(0.5);
    expect([...recordOf(dir).proposed.keys()]).toEqual(['s-oms-order', 's-low']);
  });

  it('twice adds nothing, not a byte, also when `top` cuts the list', () => {
    const dir = layer();
    const all = Array.from({ length: 30 }, (_, i) => proposal(`s-n${i}`));
    write(dir, all, [], 10);
    const [first, record] = [bytesOf(dir), bytesOf(dir, 'scan.yaml')];
    expect(write(dir, all, [], 10).added).toEqual([]);
    expect(bytesOf(dir).equals(first)).toBe(true);
    expect(bytesOf(dir, 'scan.yaml').equals(record)).toBe(true);
    expect(write(dir, all, [], 12).added).toEqual(['s-n10', 's-n11']);
  });

  it('never brings back what a person deleted, moved or ignores', () => {
    const dir = layer();
    const all = [proposal('s-a'), proposal('s-b'), proposal('s-c')];
    write(dir, all);
    const text = bytesOf(dir).toString('utf8');
    writeFileSync(join(dir, SCANNED_FILE), text.replace(/- id: s-b\n(?: {2}.*\n)+/, ''));
    writeFileSync(
      join(dir, 'scan.yaml'),
      bytesOf(dir, 'scan.yaml').toString('utf8').replace('ignore: []', 'ignore: [s-d, 词e]'),
    );
    const before = bytesOf(dir);
    const again = [...all, proposal('s-d'), proposal('s-e')];
    expect(selectProposals(again, recordOf(dir), termsOf(dir), { top: 100 })).toMatchObject({
      fresh: [],
      written: 2,
      declined: 1,
      ignored: 2,
    });
    expect(write(dir, again).added).toEqual([]);
    expect(bytesOf(dir).equals(before)).toBe(true);
    // Whoever wants it back takes its line out of the record.
    writeFileSync(
      join(dir, 'scan.yaml'),
      bytesOf(dir, 'scan.yaml')
        .toString('utf8')
        .replace(/^ {2}s-b:.*\n/m, ''),
    );
    expect(write(dir, again).added).toEqual(['s-b']);
  });

  it('without a number means all from a score on; what was written and deleted is counted by the record', () => {
    const dir = layer();
    const all = Array.from({ length: 80 }, (_, i) => proposal(`s-n${i}`, { score: i < 70 ? 0.6 : 0.1 }));
    const wish = { from: WRITE_SCORE };
    const first = selectProposals(all, recordOf(dir), [], wish);
    expect([first.fresh.length, first.rest]).toEqual([70, 10]);
    write(dir, first.fresh);
    const text = bytesOf(dir).toString('utf8');
    writeFileSync(join(dir, SCANNED_FILE), text.replace(/- id: s-n6[5-9]\n(?: {2}.*\n)+/g, ''));
    expect(selectProposals(all.slice(0, 20), recordOf(dir), termsOf(dir), wish)).toMatchObject({
      fresh: [],
      rest: 0,
      written: 65,
      declined: 5,
    });
  });

  it.each([
    ['utf-8 with LF', 'utf-8', '\n', false, ''],
    ['CRLF and a BOM', 'utf-8', '\r\n', true, ''],
    ['GBK', 'gbk', '\r\n', false, ''],
    ['indented items', 'utf-8', '\n', false, '  '],
  ] as const)('keeps every byte that is there: %s', (_name, encoding, eol, bom, indent) => {
    const own = [
      '# 我们自己的话，保持原样   ',
      '',
      '- id: mine',
      '  keyword_ch: 订单   # 手写的注释',
      '  code_symbols:  [ Order ]',
      '',
      '- {id: flow, keyword_ch: "退款单",',
      '   code_symbols: [Refund]}',
    ];
    const text = own.map((line) => (line === '' ? line : indent + line)).join(eol);
    const bytes = encodeText(text, { text, encoding, bom, eol: eol === '\n' ? 'lf' : 'crlf', finalNewline: false });
    const dir = layer({ [SCANNED_FILE]: bytes });
    write(dir, [proposal('s-a', { keyword_ch: '优惠券' }), proposal('s-b', { keyword_ch: '对账单' })]);
    const next = bytesOf(dir);
    expect(next.subarray(0, bytes.length).equals(Buffer.from(bytes))).toBe(true);
    const decoded = decodeText(next);
    expect(decoded).toMatchObject({ encoding, bom, eol: eol === '\n' ? 'lf' : 'crlf' });
    const yaml = readYaml(decoded.text.replace(/^\uFEFF/, ''));
    expect(yaml.ok && (yaml.value as { id: string }[]).map(({ id }) => id)).toEqual(['mine', 'flow', 's-a', 's-b']);
  });

  it('random files of people: bytes are kept, everything loads, and twice is once', () => {
    let state = 42;
    const next = (n: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % n;
    };
    const pieces = [
      '\n',
      '# 注释 - id: 不是条目\n',
      '- id: p%\n  keyword_ch: 词%\n  code_symbols: [P%]\n',
      '- keyword_ch: "带: 冒号%"\n  id: q%\n  note: |\n    - id: 文本\n    第二行\n',
      "- {id: r%, keyword_ch: '单''引号'}\n",
      '  \n',
      '# 末尾',
    ];
    for (let round = 0; round < 60; round++) {
      let n = 0;
      let text = Array.from({ length: 1 + next(8) }, () =>
        pieces[next(pieces.length - 1)]!.replaceAll('%', () => String(n++)),
      ).join('');
      if (next(3) === 0) text += pieces.at(-1);
      const dir = layer({ [SCANNED_FILE]: text });
      const had = termsOf(dir).length;
      const added = Array.from({ length: 1 + next(4) }, (_, i) => proposal(`s-x${i}`));
      write(dir, added);
      const bytes = bytesOf(dir);
      expect(bytes.toString('utf8').startsWith(text)).toBe(true);
      expect(termsOf(dir)).toHaveLength(had + added.length);
      expect(write(dir, added).added).toEqual([]);
      expect(bytesOf(dir).equals(bytes)).toBe(true);
    }
  });
});

describe('what is refused, with nothing changed', () => {
  const one = [proposal('s-a')];
  const untouched = (dir: string, run: () => unknown, code: string) => {
    const before = readdirSync(dir, { recursive: true }).sort();
    expect(run).toThrow(expect.objectContaining({ code }));
    expect(readdirSync(dir, { recursive: true }).sort()).toEqual(before);
  };

  it.each([
    ['broken YAML', '- id: a\n keyword_ch: [\n'],
    ['a map', 'terms: []\n'],
    ['a flow list that nothing can follow', '[]\n'],
    ['a document end', '- id: a\n  keyword_ch: 词\n...\n'],
  ])('%s in scanned.yaml', (_name, text) => {
    const dir = layer({ [SCANNED_FILE]: text });
    untouched(dir, () => writeScanned(places(dir), one, [], DAY), 'ENTRY_INVALID');
    expect(bytesOf(dir).toString('utf8')).toBe(text);
  });

  it.each(['ignore: [\n', 'ignore: text\n', 'proposed: [a]\n', 'other: 1\n'])(
    'a record that can not be read: %j',
    (text) => {
      expect(() => readRecord(text)).toThrow(expect.objectContaining({ code: 'ENTRY_INVALID' }));
    },
  );

  it.each(['', 'knowledge', 'knowledge/terms', SCANNED_FILE, 'scan.yaml'])(
    'a link out of the project at .xihe/%s',
    (at) => {
      const outside = mkdtempSync(join(tmpdir(), 'xihe-outside-'));
      roots.push(outside);
      const dir = layer();
      const link = join(dir, at);
      const isFile = at.endsWith('.yaml');
      if (isFile) writeFileSync(join(outside, 'x.yaml'), '');
      if (at === '') rmSync(dir, { recursive: true });
      else mkdirSync(dirname(link), { recursive: true });
      symlinkSync(isFile ? join(outside, 'x.yaml') : outside, link);
      expect(() => writeScanned(places(dir), one, [], DAY)).toThrow(
        expect.objectContaining({ code: 'PATH_OUTSIDE_PROJECT' }),
      );
      expect(readdirSync(outside)).toEqual(isFile ? ['x.yaml'] : []);
      if (isFile) expect(readFileSync(join(outside, 'x.yaml'), 'utf8')).toBe('');
    },
  );
});

describe('symbols that moved', () => {
  const order = proposal('s-order-service-cancel-expired', {
    keyword_ch: '超时关单',
    code_symbols: ['OrderService.cancelExpired', 'PAY_TIMEOUT'],
  });
  const moved = (termId: string, certain: boolean): GoneSymbol => ({
    termId,
    keyword_ch: '超时关单',
    symbol: 'OrderService.cancelExpired',
    file: SCANNED_FILE,
    line: 5,
    movedTo: [{ symbol: 'OrderCloser.cancelExpired', file: 'src/closer.ts', line: 9, why: '同名', certain }],
  });

  it('are replaced in our own untouched entries, and only there', () => {
    const dir = layer();
    write(dir, [order, proposal('s-b')]);
    const before = bytesOf(dir).toString('utf8');
    expect(write(dir, [order], [moved(order.id, true)]).updated).toEqual([
      { id: order.id, from: 'OrderService.cancelExpired', to: 'OrderCloser.cancelExpired' },
    ]);
    const after = bytesOf(dir).toString('utf8');
    expect(after).toBe(
      before
        .replace('[OrderService.cancelExpired, PAY_TIMEOUT]', '[OrderCloser.cancelExpired, PAY_TIMEOUT]')
        .replace(`repo://${order.evidence[0]!.file}#L3`, 'repo://src/closer.ts#L9'),
    );
    // The record knows the entry as it is now: the next move is followed too.
    const back = {
      ...moved(order.id, true),
      symbol: 'OrderCloser.cancelExpired',
      movedTo: [{ symbol: 'Closer.run', file: 'src/c.ts', line: 1, why: '', certain: true }],
    };
    expect(write(dir, [order], [back]).updated).toHaveLength(1);
  });

  it.each<[string, (text: string) => string, boolean]>([
    ['a status that a person confirmed', (text) => text.replace('status: candidate', 'status: verified'), true],
    ['a comment that a person wrote', (text) => text.replace('超时关单', '超时关单 # 对'), true],
    ['a place that is only likely', (text) => text, false],
  ])('stay where they are: %s', (_name, edit, certain) => {
    const dir = layer();
    write(dir, [order]);
    const text = edit(bytesOf(dir).toString('utf8'));
    writeFileSync(join(dir, SCANNED_FILE), text);
    expect(write(dir, [order], [moved(order.id, certain), moved('term-of-another-file', true)]).updated).toEqual([]);
    expect(bytesOf(dir).toString('utf8')).toBe(text);
  });
});
