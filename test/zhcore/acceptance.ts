import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultConfig, type XiheConfig } from '../../src/config.js';
import { openZhCore, type ZhCore } from '../../src/zhcore/index.js';
import { document, writeTree } from '../knowledge/support.js';

const ERRORS = (keywords: string) =>
  document(
    {
      title: '支付网关错误码',
      keywords,
      summary: '支付网关返回的错误码各是什么意思，遇到时先查什么。',
      sections: '\n  超时: "## 超时类"',
    },
    `# 支付网关错误码

## 超时类

ERR_TIMEOUT 表示网关在 3 秒内没有等到渠道的应答。订单可能已经扣款，不能直接重试下单，要先查单。

## 限流类

ERR_LIMIT 表示同一商户每秒请求太多，退避后再试。
`,
  );

const GATEWAY = document(
  { title: '渠道应答慢的处理', keywords: '[渠道应答]', summary: '渠道迟迟不应答时怎么办。' },
  '渠道长时间没有应答时，先主动查单确认这笔钱扣了没有：扣了就补单，没扣才让用户重新付款。超时的订单每五分钟查一次，查满六次转人工。\n',
);

const EXCEPTIONS = document(
  { title: '后端约定', keywords: '[GlobalExceptionFilter, 全局过滤器]', summary: '控制器之外的错误在哪里接住。' },
  '系统里的异常一律抛给全局过滤器：业务代码不写空的 catch，过滤器接住后记下请求号，返回统一的错误体，前端按错误码提示用户。\n',
);

const HOLIDAY = document(
  { title: '放假值班表', keywords: '[值班表]', summary: '节假日谁值班。' },
  '春节和国庆每天两人值班，早上九点交接，电话写在白板上。加班餐由前台统一预订，周末打车可以报销。\n',
);

/**
 * The acceptance cases of the look-up, with the embedded model, on whatever index the settings say.
 *
 * @param settings asked when the tests run
 */
export function acceptance(settings: () => Pick<XiheConfig, 'embedding' | 'milvus'>): void {
  let dir = '';
  let core: ZhCore;
  const layer = () => join(dir, '.xihe');
  const open = () => openZhCore({ projectDir: layer(), cacheDir: join(layer(), 'state'), vectors: settings() });
  const lookup = (query: string) => core.askLookup(query, undefined, { budgetMs: 60_000 });
  const sourceOf = (part: { source: string } | null) => part?.source;

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'xihe-acceptance-'));
    writeTree(dir, {
      '.xihe/knowledge/errors.md': ERRORS('[ERR_TIMEOUT, 支付网关]'),
      '.xihe/knowledge/gateway.md': GATEWAY,
      '.xihe/knowledge/exceptions.md': EXCEPTIONS,
      '.xihe/knowledge/holiday.md': HOLIDAY,
    });
    core = open();
  });
  afterAll(async () => {
    await core.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('makes the vectors of the project, and none of what ships', async () => {
    let most = 0;
    await core.vectors!.build({
      onProgress: (_, total) => {
        most = Math.max(most, total);
      },
    });
    expect(most).toBeGreaterThan(4);
    expect(await core.meaningOf('预热', { budgetMs: 60_000 })).not.toHaveProperty('degraded');
  });

  it('an error code hits its document, with a supplement from another', async () => {
    const { found, primary, supplement } = await lookup('ERR_TIMEOUT');
    expect({ found, type: primary?.match_type, source: sourceOf(primary) }).toEqual({
      found: true,
      type: 'exact_L0',
      source: '.xihe/knowledge/errors.md',
    });
    expect(primary?.content).toContain('ERR_LIMIT');
    const sentence = await lookup('支付网关 ERR_TIMEOUT，渠道一直没应答，钱扣了没有怎么确认');
    expect(sourceOf(sentence.primary)).toBe('.xihe/knowledge/errors.md');
    expect([sourceOf(sentence.supplement), sentence.supplement?.match_type]).toEqual([
      '.xihe/knowledge/gateway.md',
      'semantic_L1',
    ]);
    expect([sourceOf(supplement) === sourceOf(primary), supplement?.match_type]).toEqual([false, 'semantic_L1']);
  });

  it('a question without a keyword has no primary, and the passage that answers as supplement', async () => {
    const { found, primary, supplement } = await lookup('如何处理系统异常');
    expect({ found, primary, source: sourceOf(supplement) }).toEqual({
      found: true,
      primary: null,
      source: '.xihe/knowledge/exceptions.md',
    });
  });

  it('a question that nothing answers finds nothing', async () => {
    expect(await lookup('蓝牙耳机怎么配对')).toMatchObject({ found: false, primary: null, supplement: null });
  });

  it('a keyword that changed is found without a restart', async () => {
    expect((await lookup('E_GATEWAY_SLOW')).primary).toBeNull();
    writeFileSync(join(layer(), 'knowledge', 'errors.md'), ERRORS('[E_GATEWAY_SLOW]'));
    core.reload();
    expect(sourceOf((await lookup('E_GATEWAY_SLOW')).primary)).toBe('.xihe/knowledge/errors.md');
  });

  it('a passage that is new is found by its meaning once its vector is made', async () => {
    writeFileSync(
      join(layer(), 'knowledge', 'refresh.md'),
      document(
        { title: '配置热加载', keywords: '[热加载]', summary: '改了配置不用重启。' },
        '改完配置文件后进程会自己重新读取，不需要重启服务。读取失败时沿用上一份，并在日志里写明哪一行不对。\n',
      ),
    );
    core.reload();
    await core.vectors!.build();
    const { supplement } = await lookup('改了配置要不要重启');
    expect(sourceOf(supplement)).toBe('.xihe/knowledge/refresh.md');
  });
}

/** The settings of a new user, whatever the tests around set. */
export function defaults(): Pick<XiheConfig, 'embedding' | 'milvus'> {
  return defaultConfig();
}
