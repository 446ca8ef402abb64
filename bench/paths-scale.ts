// `npm run bench:paths-scale [-- --counts 3000,20000,100000 --json]`: generated trees of Java, TypeScript and Vue files: first index, memory,
// warm start, the update after one changed file, and queries.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPaths, type PathContext } from '../src/paths/index.js';
import { openZhCore } from '../src/zhcore/index.js';
import { quantile } from './retrieve-data.js';

const WORDS = (
  '订单 order 退款 refund 库存 stock 优惠券 coupon 会员 member 支付 payment 物流 logistics 商品 goods 购物车 cart 地址 address 发票 invoice 评价 review ' +
  '售后 aftersale 结算 settlement 对账 reconcile 账户 account 权限 permission 菜单 menu 角色 role 部门 dept 字典 dict 日志 log 通知 notice 公告 bulletin ' +
  '任务 task 报表 report 导出 export 导入 import 审批 approval 流程 workflow 消息 message 短信 sms 邮件 mail 文件 file 图片 image 配置 config 缓存 cache ' +
  '队列 queue 租户 tenant 登录 login 注册 register 验证码 captcha 签名 signature 渠道 channel 活动 activity 秒杀 seckill 拼团 groupon 积分 points 等级 level'
).split(' ');
const PAIRS = Array.from({ length: WORDS.length / 2 }, (_, i) => [WORDS[2 * i]!, WORDS[2 * i + 1]!] as const);
const ACTS = [
  ['新增', 'create'],
  ['查询', 'query'],
  ['取消', 'cancel'],
  ['校验', 'check'],
  ['同步', 'sync'],
  ['统计', 'count'],
  ['过期', 'expire'],
  ['分页', 'page'],
] as const;
/** Files of one module: some eight lie in a folder, as in the repositories of bench:localize. */
const FILES_OF_MODULE = 800;
const QUERIES = 300;
const CHANGES = 15;

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '3000,20000,100000' },
    json: { type: 'boolean', default: false },
    cache: { type: 'string' },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);

/** A small generator with a seed (mulberry32), so that every run has the same tree. */
function random(seed: number) {
  let state = seed >>> 0;
  return (n: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const upper = (word: string) => word[0]!.toUpperCase() + word.slice(1);

/** One source file of some 40 lines: what it is called, and what it holds. */
function sourceFile(i: number, modules: number, pick: (n: number) => number): [path: string, text: string] {
  const [zh, en] = PAIRS[pick(PAIRS.length)]!;
  const [zh2, en2] = PAIRS[pick(PAIRS.length)]!;
  const name = `${upper(en)}${upper(en2)}${i}`;
  const folder = `m${i % modules}/${en}`;
  const methods = Array.from({ length: 6 }, () => ACTS[pick(ACTS.length)]!);
  if (i % 3 === 0) {
    const body = methods.map(
      ([zhAct, act], k) =>
        `    /** ${zhAct}${zh2}${k} */\n    public int ${act}${upper(en2)}${k}(int id) {\n        return id + ${pick(99)};\n    }\n`,
    );
    return [
      `server/${folder}/${name}Service.java`,
      `package com.shop.${en};\n\n/** ${zh}${zh2}服务 */\npublic class ${name}Service {\n${body.join('\n')}}\n`,
    ];
  }
  const body = methods.map(
    ([zhAct, act], k) =>
      `/** ${zhAct}${zh}${k} */\nexport function ${act}${upper(en)}${k}(id: number): string {\n  return request('/${en}/${act}', id, '${zh}${zhAct}失败');\n}\n`,
  );
  const script = `// ${zh}与${zh2}\nimport { request } from '@/utils/request';\n\n${body.join('\n')}`;
  if (i % 3 === 1) return [`web/src/api/${folder}/${name}.ts`, script];
  return [
    `web/src/views/${folder}/${name}.vue`,
    `<template>\n  <div class="${en}">${zh}${zh2}</div>\n</template>\n<script setup lang="ts">\n${script}</script>\n`,
  ];
}

function makeTree(root: string, count: number): string[] {
  const pick = random(count);
  return Array.from({ length: count }, (_, i) => {
    const [path, text] = sourceFile(i, Math.ceil(count / FILES_OF_MODULE), pick);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    return path;
  });
}

/** CPU and clock of a piece of work, in milliseconds. */
async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; cpu: number; clock: number }> {
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, cpu: (user + system) / 1000, clock: performance.now() - started };
}

function heapMb(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1e6);
}

/** So that no change writes what stands there. */
let changes = 0;

async function updates(paths: PathContext, root: string, files: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < CHANGES; i++) {
    const path = join(root, files[(i * 7919) % files.length]!);
    writeFileSync(path, `// 改动 ${i}\nexport const changed = ${++changes};\n`);
    times.push((await timed(() => paths.refresh())).cpu);
  }
  return times;
}

async function queries(paths: PathContext): Promise<number[]> {
  const pick = random(7);
  const times: number[] = [];
  for (let i = 0; i < QUERIES; i++) {
    const request = `${PAIRS[pick(PAIRS.length)]![0]}页面${ACTS[pick(ACTS.length)]![0]}${PAIRS[pick(PAIRS.length)]![0]}时报错`;
    times.push((await timed(() => paths.lookupFile(request))).cpu);
  }
  return times;
}

async function measure(count: number) {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-paths-scale-'));
  const [root, stateDir] = [join(dir, 'tree'), join(dir, 'state')];
  try {
    say(`造 ${count} 个文件…`);
    const files = makeTree(root, count);
    const terms = openZhCore().termLookup();
    const before = heapMb();
    let told = 0;
    const onProgress = ({ done, total }: { done: number; total: number }) => {
      if (done - told < total / 10) return;
      told = done;
      say(`  建索引 ${done}/${total}`);
    };
    const first = await timed(() => openPaths({ root, stateDir, terms, onProgress }));
    await first.result.lookupFile('订单');
    const heap = heapMb() - before;
    const warm = await timed(() => openPaths({ root, stateDir, terms }));
    const opening = await timed(() => warm.result.lookupFile('订单'));
    const asked = await queries(warm.result);
    const changed = await updates(warm.result, root, files);
    warm.result.watch();
    await warm.result.refresh();
    const watched = await updates(warm.result, root, files);
    warm.result.close();
    return {
      files: count,
      load: Number(loadavg()[0]!.toFixed(1)),
      firstCpuS: Number((first.cpu / 1000).toFixed(1)),
      firstClockS: Number((first.clock / 1000).toFixed(1)),
      heapMb: heap,
      diskMb: Math.round(statSync(join(stateDir, 'paths-index.bin')).size / 1e6),
      warmCpuMs: Math.round(warm.cpu),
      firstQueryCpuMs: Math.round(opening.cpu),
      updateP50CpuMs: Math.round(quantile(changed, 0.5)),
      watchedUpdateP50CpuMs: Math.round(quantile(watched, 0.5)),
      queryP50CpuMs: quantile(asked, 0.5),
      queryP95CpuMs: quantile(asked, 0.95),
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const rows: Awaited<ReturnType<typeof measure>>[] = [];
for (const count of values.counts.split(',').map(Number)) {
  rows.push(await measure(count));
  say(JSON.stringify(rows.at(-1)));
}
if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'paths-scale', rows })}\n`);
process.exit(0);
