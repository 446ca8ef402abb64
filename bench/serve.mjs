// `npm run bench:serve [-- --entries N --seconds S --requests N --json]`: the HTTP service over a generated core, in a process of its own,
// beside a bare Hono route in the same run: latencies and requests a second at 1, 16 and 64 clients, and memory over many requests.
// Words alone (no vectors), so that the figures are those of the service and the core.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { writeLayer } from './core-corpus.ts';

const CLIENTS = [1, 16, 64];
/** Source files for `/find`. */
const FILES = 600;
/** Seconds before a row is measured. */
const WARM_SECONDS = 6;
/** Looks at memory. */
const LOOKS = 10;

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '100000' },
    json: { type: 'boolean', default: false },
    // Every bench takes it; nothing here is worth keeping between runs.
    cache: { type: 'string' },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'xihe-bench-serve-'));
const say = (text) => process.stderr.write(`${text}\n`);
const children = [];

/** Starts a server that prints its address as JSON. */
async function started(args) {
  const env = { ...process.env, XIHE_EMBED_PROVIDER: 'none', XIHE_SKIP_BUILD: '1', XDG_CONFIG_HOME: join(dir, 'home') };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line).url;
  throw new Error(`${args[0]} did not start`);
}

/** A source tree whose comments speak of the same things as the core. */
function writeTree(requests) {
  for (let i = 0; i < FILES; i++) {
    const file = join(dir, `src/m${i % 97}/service${i}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    const comment = requests[i % requests.length];
    const methods = Array.from({ length: 12 }, (_, n) => `  /** ${comment} ${n} */\n  handler${i * 12 + n}() {}\n`);
    writeFileSync(file, `/** ${comment} */\nexport class Service${i} {\n${methods.join('')}}\n`);
  }
  const git = (...args) => execFileSync('git', ['-C', dir, '-c', 'user.name=b', '-c', 'user.email=b@b', ...args]);
  git('init', '-q');
  git('add', 'src');
  git('commit', '-qm', '生成');
}

const round = (n, digits = 1) => Number(n.toFixed(digits));
const headers = { 'content-type': 'application/json' };
let asked = 0;

/** A question that nobody asked before: no cache has it. */
const anew = (path, bodies, make) => ({
  method: 'POST',
  path,
  headers,
  setupRequest: (request) => {
    asked += 1;
    return { ...request, body: JSON.stringify(make(`${bodies[asked % bodies.length]} 第${asked}次`)) };
  },
});
const known = (path, bodies, make) =>
  bodies.map((text) => ({ method: 'POST', path, headers, body: JSON.stringify(make(text)) }));

const quantile = (sorted, q) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0, 2);

/** @param limit `duration` in seconds, or `amount` of requests */
function shoot(url, requests, connections, limit) {
  return new Promise((resolve, reject) => {
    // autocannon's own histogram has whole milliseconds.
    const times = [];
    const instance = autocannon({ url, connections, requests, timeout: 60, ...limit }, (error, result) => {
      if (error) return reject(error);
      times.sort((a, b) => a - b);
      const [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map((q) => quantile(times, q));
      const failed = result['4xx'] + result['5xx'] + result.errors;
      return resolve({
        answered: times.length,
        p50_ms,
        p95_ms,
        p99_ms,
        per_second: round(times.length / result.duration, 0),
        failed,
      });
    });
    instance.on('response', (_client, _status, _bytes, ms) => times.push(ms));
  });
}

async function memoryOf(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return round(Number(/^process_resident_memory_bytes (\d+)/m.exec(text)[1]) / 1e6, 0);
}

/** CPU seconds that a server has used: what it costs, however busy the machine is. */
async function cpuOf(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total ([\d.]+)/m.exec(text)[1]);
}

const post = (url, body) => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });

try {
  const entries = Number(values.entries);
  say(`正在生成 ${entries} 条和 ${FILES} 个源文件…`);
  const texts = writeLayer(join(dir, '.xihe'), entries);
  writeTree(texts);
  const some = texts.slice(0, 300);
  const query = (user_intent) => ({ user_intent });
  const find = (text) => ({ query: text });

  const url = await started([join(root, 'bin/xihe'), 'serve', '--port', '0', '--json', '--rate', '0', '--repo', dir]);
  say('正在预热…');
  const sizes = [];
  for (const text of some) {
    sizes.push((await (await post(`${url}/query`, query(text))).text()).length);
    await (await post(`${url}/find`, find(text))).text();
  }
  const size = sizes.sort((a, b) => a - b)[sizes.length >> 1];
  const bare = await started([join(root, 'bench/serve-bare.mjs'), String(size)]);
  const tags = [];
  for (const text of some) {
    const reply = await post(`${url}/query`, query(text));
    await reply.text();
    tags.push({ text, tag: reply.headers.get('etag') });
  }
  const rows = {
    'bare Hono': [bare, known('/', some, query)],
    '/query kept': [url, known('/query', some, query)],
    '/query 304': [
      url,
      tags.map(({ text, tag }) => ({
        method: 'POST',
        path: '/query',
        headers: { ...headers, 'if-none-match': tag },
        body: JSON.stringify(query(text)),
      })),
    ],
    '/query made': [url, [anew('/query', texts, query)]],
    '/find kept': [url, known('/find', some, find)],
    '/find made': [url, [anew('/find', texts, find)]],
  };
  const systems = {};
  const [, bareRequests] = rows['bare Hono'];
  for (const [name, [at, requests]] of Object.entries(rows)) {
    systems[name] = {};
    // A process that has just loaded 10,000 entries runs code that is not compiled yet: four times the CPU of a second later.
    await shoot(at, requests, 16, { duration: WARM_SECONDS });
    for (const clients of CLIENTS) {
      say(`${name}，${clients} 个客户端…`);
      const duration = Number(values.seconds);
      // The peer right before each row: what else the machine does changes by the minute.
      const beside = await shoot(bare, bareRequests, clients, { duration: Math.max(1, duration / 2) });
      const before = await cpuOf(at);
      const row = await shoot(at, requests, clients, { duration });
      const cpu_ms = round((1000 * ((await cpuOf(at)) - before)) / row.answered, 3);
      systems[name][clients] = { ...row, cpu_ms, bare_p50_ms: beside.p50_ms, bare_p95_ms: beside.p95_ms };
    }
  }
  const total = Number(values.requests);
  const memory = [await memoryOf(url)];
  // Four of five are known, the fifth is new: so caches fill and turn over as well.
  const mixed = known('/query', texts.slice(0, 4), query).concat(anew('/query', texts, query));
  for (let look = 1; look <= LOOKS; look++) {
    say(`内存：${look}/${LOOKS}…`);
    await shoot(url, mixed, 16, { amount: total / LOOKS });
    memory.push(await memoryOf(url));
  }
  const result = {
    bench: 'serve',
    node: process.versions.node,
    entries,
    answer_bytes: size,
    systems,
    memory_mb: memory,
    requests: total,
  };
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    console.log(
      '| row | clients | p50 ms | p95 ms | p99 ms | bare p50, p95 | requests/s | CPU ms a request | failed |',
    );
    console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
    for (const [name, byClients] of Object.entries(systems))
      for (const [clients, r] of Object.entries(byClients))
        console.log(
          `| ${name} | ${clients} | ${r.p50_ms} | ${r.p95_ms} | ${r.p99_ms} | ${r.bare_p50_ms}, ${r.bare_p95_ms} | ${r.per_second} | ${r.cpu_ms} | ${r.failed} |`,
        );
    console.log(
      `answer of ${size} characters; MB after each ${total / LOOKS} of ${total} requests: ${memory.join(', ')}`,
    );
  }
} finally {
  for (const child of children) child.kill('SIGTERM');
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
