import { existsSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import {
  documents,
  filesUnder,
  isDeclared,
  MALL,
  markdown,
  modules,
  playbooks,
  read,
  sources,
  terms,
  warnings,
} from './layer.js';

const inMall = (path: string) => existsSync(join(MALL, path));
/** Where the forbidden way is at home, and one report that is older than the rule. */
const ownsTheRule = new Set([
  'src/shared/clock.ts',
  'src/shared/money.ts',
  'src/export/csv-writer.ts',
  'src/report/active-users.ts',
]);

const sourceExists = (source: string) => source.startsWith('repo://') && inMall(source.slice('repo://'.length));

describe('the symbol check itself', () => {
  it('finds what is there and nothing else', () => {
    expect(['OrderService.cancelExpired', 'initiator_type', 'ErrorCode.ERR_TIMEOUT'].map(isDeclared)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['OrderService.reopen', 'RefundState.REFUND_ONLY', 'cancelExpired2'].map(isDeclared)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('terms', () => {
  it('are 25, verified, with ids of their own', () => {
    expect(terms).toHaveLength(25);
    expect(new Set(terms.map((term) => term.id)).size).toBe(25);
    expect(terms.filter((term) => term.status !== 'verified')).toEqual([]);
  });

  it('name only symbols that the code declares', () => {
    const missing = terms.flatMap((term) =>
      term.code_symbols.filter((s) => !isDeclared(s)).map((s) => `${term.id}: ${s}`),
    );
    expect(missing).toEqual([]);
    expect(terms.filter((term) => term.code_symbols.length === 0)).toEqual([]);
  });

  it('point to files that are there, in modules that are declared', () => {
    expect(terms.filter((term) => !sourceExists(term.source)).map((term) => term.id)).toEqual([]);
    expect(terms.filter((term) => !(term.module in modules)).map((term) => term.id)).toEqual([]);
  });

  it('lie in their module by the path of their source', () => {
    const astray = terms.filter((term) => {
      const path = term.source.slice('repo://'.length);
      return !(modules[term.module] ?? []).some((glob) => picomatch.isMatch(path, glob));
    });
    expect(astray.map((term) => term.id)).toEqual([]);
  });

  it('know the two meanings of 结算 and the ways to say 超时关单', () => {
    const settle = terms.filter((term) => term.keyword_ch === '结算').map((term) => term.module);
    expect(settle.sort()).toEqual(['finance', 'order']);
    const close = terms.find((term) => term.keyword_ch === '超时关单');
    expect(close?.aliases).toEqual(expect.arrayContaining(['超时没付款', '未付款关单', '关单', '超时未支付']));
    expect(close?.code_symbols).toContain('OrderService.cancelExpired');
  });
});

describe('modules', () => {
  const files = ['src', 'test', 'docs', 'legacy', 'scripts', 'i18n'].flatMap((dir) => filesUnder(dir, ''));

  it('have no glob without a file', () => {
    const empty = Object.values(modules)
      .flat()
      .filter((glob) => !files.some((file) => picomatch.isMatch(file, glob)));
    expect(empty).toEqual([]);
  });

  it('cover every source file but the entry points and the router', () => {
    const globs = Object.values(modules).flat();
    const outside = sources.map(({ path }) => path).filter((path) => !picomatch.isMatch(path, globs));
    expect(outside).toEqual(['src/app.ts', 'src/main.ts', 'src/web/router.ts']);
  });
});

describe('warnings', () => {
  it('are 6, verified, with symbols that exist and a source', () => {
    expect(warnings).toHaveLength(6);
    const symbols = warnings.flatMap((warning) => warning.when.symbols);
    expect(symbols.filter((symbol) => !isDeclared(symbol))).toEqual([]);
    expect(warnings.filter((w) => !sourceExists(w.source) || w.status !== 'verified').map((w) => w.id)).toEqual([]);
  });

  const fires = (id: string, line: string, path = 'src/order/order-state.ts') => {
    const warning = warnings.find((candidate) => candidate.id === id);
    if (!warning) throw new Error(`no such warning: ${id}`);
    return picomatch.isMatch(path, warning.when.paths) && warning.when.added.some((p) => new RegExp(p, 'u').test(line));
  };

  it.each([
    ['refund-only-not-a-state', "  REFUND_ONLY = 'REFUND_ONLY',", 'src/order/order-state.ts'],
    ['refund-only-not-a-state', "  ONLY_REFUND = 'ONLY_REFUND',", 'src/refund/refund.ts'],
    ['refund-only-not-a-state', '      "REFUND_ONLY": "仅退款",', 'i18n/zh-CN.json'],
    ['order-close-once', '  for (let retries = 0; retries < 3; retries += 1) {', 'src/order/order-service.ts'],
    ['order-close-once', '      state: OrderState.CANCELLED,', 'src/order/order-service.ts'],
    [
      'notify-verify-first',
      '    const notice = JSON.parse(request.body) as UnionpayNotice;',
      'src/payment/unionpay/notify.ts',
    ],
    ['amount-in-fen', '  const fen = parseFloat(params.txnAmt) * 100;', 'src/payment/unionpay/channel.ts'],
    ['amount-in-fen', '  const yuan = payment.amount / 100;', 'src/export/order-exporter.ts'],
    ['time-from-clock', '      gmt_paid: Date.now(),', 'src/payment/payment-service.ts'],
    ['time-from-clock', '  const day = new Date(ts).toISOString().slice(0, 10);', 'src/report/retention.ts'],
    ['csv-for-excel-encoding', "  return Buffer.from(csv, 'utf8');", 'src/export/user-exporter.ts'],
    ['csv-for-excel-encoding', "  const lines = rows.map((row) => row.join(','));", 'src/report/daily-report.ts'],
  ])('%s fires on a line of the wrong way: %s', (id, line, path) => {
    expect(fires(id, line, path)).toBe(true);
  });

  it.each([
    [
      'refund-only-not-a-state',
      '        initiatorType: RefundInitiatorType.BUYER_NO_RETURN,',
      'src/web/refund-controller.ts',
    ],
    ['refund-only-not-a-state', ' * 仅退款不是新状态，用 initiator_type 区分', 'src/order/order-state.ts'],
    ['refund-only-not-a-state', "  REFUND_ONLY = 'REFUND_ONLY',", 'docs/order/状态机.md'],
    ['amount-in-fen', '  const amount = yuanToFen(params.txnAmt);', 'src/payment/unionpay/channel.ts'],
    ['amount-in-fen', '  readonly feeRate = 60;', 'src/payment/unionpay/channel.ts'],
    ['time-from-clock', '      gmt_paid: this.deps.clock.now(),', 'src/payment/payment-service.ts'],
    ['csv-for-excel-encoding', '  return encodeCsv(csvText(rows), encoding);', 'src/export/user-exporter.ts'],
  ])('%s keeps quiet on the right way: %s', (id, line, path) => {
    expect(fires(id, line, path)).toBe(false);
  });

  it('that block hold for the code as it is', () => {
    const blocking = warnings.filter((warning) => warning.severity === 'block').map((warning) => warning.id);
    const hits = sources
      .filter(({ path }) => !ownsTheRule.has(path))
      .flatMap(({ path, text }) =>
        text.split('\n').flatMap((line) => blocking.filter((id) => fires(id, line, path)).map((id) => `${id} ${path}`)),
      );
    expect(hits).toEqual([]);
  });
});

describe('playbooks', () => {
  it('are the four, each with triggers, steps and post-checks', () => {
    expect(playbooks.map((path) => path.split('/').at(-1))).toEqual([
      'add-payment-channel.md',
      'create-report-api.md',
      'fix-timezone-display.md',
      'refactor-legacy-module.md',
    ]);
    for (const path of playbooks) {
      const { front, body } = markdown(path);
      expect(front.trigger_keywords.length).toBeGreaterThan(2);
      expect(front.steps.length).toBeGreaterThanOrEqual(6);
      expect(front.post_checks.some((check) => check.command === 'npm test')).toBe(true);
      expect(front.required_checks.every((check) => check.purpose !== '' && check.on_missing !== undefined)).toBe(true);
      expect(sourceExists(front.source)).toBe(true);
      expect(body.length).toBeGreaterThan(100);
    }
  });

  it('ask for nothing that is missing, but for the guide that has to be asked for first', () => {
    const missing = playbooks
      .flatMap((path) => markdown(path).front.required_checks)
      .filter((check) => check.path !== undefined && !inMall(check.path));
    expect(missing.map((check) => [check.path, check.on_missing])).toEqual([
      ['docs/payment/接入指南.md', 'ask_user_first'],
    ]);
  });

  it('forbid nothing that the code already does', () => {
    const hits = playbooks
      .flatMap((path) => markdown(path).front.post_checks)
      .filter((check) => check.type === 'no_match')
      .flatMap((check) =>
        sources.filter(
          ({ path, text }) =>
            picomatch.isMatch(path, check.path ?? '**') && new RegExp(check.pattern ?? '', 'mu').test(text),
        ),
      )
      .map(({ path }) => path);
    expect(hits.filter((path) => !ownsTheRule.has(path))).toEqual([]);
  });
});

describe('knowledge documents', () => {
  const sectionsOf = (body: string) => body.split(/\n(?=## )/).slice(1);

  it('are 8, with front matter at byte 0, verified, with a source that is there', () => {
    expect(documents).toHaveLength(8);
    for (const path of documents) {
      const { front } = markdown(path);
      expect(front.keywords.length).toBeGreaterThan(2);
      expect(front.summary.length).toBeGreaterThan(15);
      expect(front.status).toBe('verified');
      expect(sourceExists(front.source)).toBe(true);
      expect(front.module in modules).toBe(true);
    }
    expect(documents.flatMap((path) => markdown(path).front.keywords)).toContain('ERR_TIMEOUT');
  });

  it('name their sections as the headings are written, 300 to 800 characters each', () => {
    for (const path of documents) {
      const { front, body } = markdown(path);
      const sections = sectionsOf(body);
      expect(Object.values(front.sections)).toEqual(sections.map((section) => section.split('\n')[0]));
      for (const section of sections) {
        expect(section.length).toBeGreaterThanOrEqual(300);
        expect(section.length).toBeLessThanOrEqual(800);
      }
    }
  });

  it('and the docs speak of code that exists', () => {
    const code = sources.map(({ text }) => text).join('\n') + read('i18n/zh-CN.json') + read('legacy/init-schema.sql');
    const identifier = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?$/;
    const pages = [...documents, ...playbooks, ...filesUnder('docs', '.md'), 'README.md'];
    const unknown = pages.flatMap((page) =>
      [...read(page).matchAll(/`([^`\n]+)`/g)]
        .map((match) => match[1] ?? '')
        .filter(
          (name) => identifier.test(name) && !name.split('.').every((part) => new RegExp(`\\b${part}\\b`).test(code)),
        )
        .map((name) => `${page}: ${name}`),
    );
    // What the text warns of, and a file called by its name alone.
    expect(unknown.filter((entry) => !/: (toFixed|refund-amount\.ts)$/.test(entry))).toEqual([]);
  });

  it('and the docs link to files that exist', () => {
    const pages = [...documents, ...playbooks, ...filesUnder('docs', '.md'), 'README.md'];
    const paths = pages.flatMap((page) =>
      [...read(page).matchAll(/`((?:src|docs|i18n|legacy|scripts|test)\/[^`\s]*)`/g)].map((match) => match[1] ?? ''),
    );
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !inMall(path))).toEqual(['docs/payment/接入指南.md']);
  });
});
