import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { packageRoot } from '../../../src/assets.js';
import { LineTransport, MAX_LINE_BYTES } from '../../../src/server/mcp/stdio.js';
import { cleanEnv, copyMall, removeDir } from '../../support/mall.js';

interface Answer {
  id: unknown;
  error?: { code: number; message: string };
  result?: unknown;
}

/** A transport over two streams in memory, and what it wrote. */
async function opened() {
  const input = new PassThrough();
  const output = new PassThrough();
  const got: JSONRPCMessage[] = [];
  let written = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const transport = new LineTransport(input, output);
  transport.onmessage = (message) => void got.push(message);
  let isClosed = false;
  transport.onclose = () => {
    isClosed = true;
  };
  await transport.start();
  const settle = () => new Promise((done) => setImmediate(() => setImmediate(done)));
  const answers = async (): Promise<Answer[]> => {
    await settle();
    return written
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Answer);
  };
  return { input, transport, got, answers, settle, isClosed: () => isClosed };
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('messages by lines', () => {
  it('reads messages however they are cut, with blank lines, CRLF and a byte order mark', async () => {
    const { input, got, settle } = await opened();
    const bytes = Buffer.from(
      `\ufeff${PING}\r\n\n  \n{"jsonrpc":"2.0","method":"notifications/x","params":{"词":"退款"}}\n`,
    );
    for (const byte of bytes) input.write(Buffer.from([byte]));
    await settle();
    expect(got).toMatchObject([{ id: 1 }, { method: 'notifications/x', params: { 词: '退款' } }]);
  });

  it.each([
    ['nonsense', null, -32700],
    ['{"jsonrpc":"2.0","id":1,', null, -32700],
    ['[]', null, -32600],
    [`[${PING}]`, null, -32600],
    ['null', null, -32600],
    ['{"id":7}', 7, -32600],
    ['{"jsonrpc":"1.0","id":"a","method":"ping"}', 'a', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
    ['{"jsonrpc":"2.0","id":3,"method":7}', 3, -32600],
    ['"a\u0000b"', null, -32700],
    ['['.repeat(100_000), null, -32700],
  ])('line $# gets an error, with the id where it has one', async (line, id, code) => {
    const { input, got, answers } = await opened();
    input.write(`${line}\n${PING}\n`);
    expect(await answers()).toMatchObject([{ id, error: { code, message: expect.stringMatching(/\p{Script=Han}/u) } }]);
    expect(got).toHaveLength(1);
  });

  it('skips a line that is too long, and reads the next', async () => {
    const { input, got, answers } = await opened();
    const part = Buffer.alloc(MAX_LINE_BYTES / 4, 'x');
    for (let i = 0; i < 9; i++) input.write(part);
    input.write(`\n${PING}\n`);
    expect(await answers()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(got).toHaveLength(1);
  });

  it('ends with its input: at once where nothing is asked, else when that is answered', async () => {
    const idle = await opened();
    idle.input.end();
    await idle.settle();
    await idle.settle();
    expect(idle.isClosed()).toBe(true);
    const busy = await opened();
    busy.input.end(`${PING}\n`);
    await busy.settle();
    await busy.settle();
    expect(busy.isClosed()).toBe(false);
    await busy.transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    expect(busy.isClosed()).toBe(true);
    expect(await busy.answers()).toMatchObject([{ id: 1, result: {} }]);
  });
});

describe('the real command under broken lines', () => {
  let mall: string;
  beforeAll(() => {
    mall = copyMall({ link: false });
  });
  afterAll(() => removeDir(mall));

  it('answers each with an error, then works, prints nothing else, and ends by itself', async () => {
    const child = spawn(process.execPath, [join(packageRoot(), 'bin', 'xihe'), 'mcp', '--repo', mall], {
      env: cleanEnv(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.resume();
    const initialize = {
      jsonrpc: '2.0',
      id: 'first',
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
    };
    const broken = mutations(JSON.stringify(initialize), 300);
    const calls = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {
        jsonrpc: '2.0',
        id: 'call',
        method: 'tools/call',
        params: { name: 'zh_core_query', arguments: { user_intent: '超时关单' } },
      },
      { jsonrpc: '2.0', id: 'odd', method: 'tools/call', params: { name: 'zh_core_query', arguments: ['x'] } },
      { jsonrpc: '2.0', id: 'none', method: 'tools/nope' },
      { jsonrpc: '2.0', id: 'page', method: 'resources/list', params: { cursor: 7 } },
    ];
    for (const message of [...broken, initialize, ...calls])
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    await vi.waitFor(() => expect(out).toContain('"id":"call"'), 60_000);
    child.stdin.end();
    const code = await new Promise((done) => child.on('close', done));
    expect(code).toBe(0);
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer & { jsonrpc: string; method?: string });
    for (const answer of answers) expect(answer.jsonrpc).toBe('2.0');
    expect(answers.filter(({ id, error }) => id === null && error).length).toBeGreaterThan(100);
    const by = (id: string) => answers.filter((answer) => answer.id === id && !answer.method).at(-1);
    expect(by('first')?.result).toMatchObject({ serverInfo: { name: 'xihe' } });
    expect(JSON.stringify(by('call')?.result)).toContain('OrderService.cancelExpired');
    expect(by('odd')?.error?.code).toBe(-32602);
    expect(by('none')?.error?.code).toBe(-32601);
    expect(by('page')?.error?.code).toBe(-32602);
  });
});

/** The same line, broken in ways of one seed: cut, doubled, bytes changed, brackets lost. */
function mutations(line: string, count: number): string[] {
  let seed = 20_261_201;
  const random = (n: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % n;
  };
  return Array.from({ length: count }, () => {
    const at = random(line.length);
    const junk = String.fromCharCode(33 + random(90));
    const ways = [
      line.slice(0, at),
      line.slice(at),
      line.slice(0, at) + junk + line.slice(at + 1),
      line.replace(/[{}[\]"]/g, (c) => (random(8) === 0 ? '' : c)),
      line + line,
      line.replace('2.0', junk),
    ];
    return (ways[random(ways.length)] ?? '').replaceAll('\n', ' ');
  });
}
