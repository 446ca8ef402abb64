import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../../src/server/http/openapi.js';
import { type Served, serveHttp } from '../support/http-service.js';

/**
 * Requests out of the service's own OpenAPI document: bodies as their schemas allow them, and bodies with one thing wrong. Nothing may end
 * in a fault of the server; what the schema allows may not be called invalid; and every answer is one that the document names.
 */

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

let served: Served;
beforeAll(async () => {
  served = await serveHttp();
});
afterAll(() => served.close());

/** The same numbers each time, so that a failure can be looked at (mulberry32). */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const STRINGS = [
  '超时关单',
  'OrderService.cancelExpired',
  'src/order',
  '.',
  '{{',
  '**/*',
  '[',
  '\\',
  '🙂',
  '\ud800',
  '\u0000',
  '\u202e',
  "' OR 1=1 --",
  '退款\n换行',
  ' ',
  '%2e%2e/',
  '(a+)+$',
  'é',
  '𠮷',
  '-1',
  'null',
];
const WRONG = [null, true, 0, -1, 1.5, 1e308, '', [], {}, [[]], ['', null], { a: { b: 1 } }, 'x'.repeat(5_000)];

class Maker {
  constructor(private readonly next: () => number) {}

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  valid(schema: Schema): unknown {
    if (schema.enum) return this.pick(schema.enum);
    switch ([schema.type].flat()[0]) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(([name]) => schema.required?.includes(name) || this.next() < 0.5)
            .map(([name, of]) => [name, this.valid(of)]),
        );
      case 'array':
        return Array.from({ length: this.whole(0, Math.min(3, schema.maxItems ?? 3)) }, () =>
          this.valid(schema.items ?? {}),
        );
      case 'integer':
        return this.whole(schema.minimum ?? 0, Math.min(schema.maximum ?? 100, 1000));
      case 'string':
        return this.text(schema);
      default:
        return this.pick(WRONG);
    }
  }

  text({ minLength = 0, maxLength = 100, pattern }: Schema): string {
    if (pattern !== undefined) return this.pick(['a', 'run-7:2', 'x'.repeat(64)]);
    const text = Array.from({ length: this.whole(1, 3) }, () => this.pick(STRINGS)).join(this.pick(['', ' ', '，']));
    return [...text].slice(0, maxLength).join('').padEnd(minLength, '关');
  }

  /** The same with one thing wrong. */
  wrong(schema: Schema): unknown {
    const good = this.valid(schema) as Record<string, unknown>;
    const name = this.pick(Object.keys(schema.properties ?? { a: 1 }));
    const kind = this.whole(0, 3);
    if (kind === 0) return { ...good, [this.pick(['x', '__proto__x', '', name.toUpperCase()])]: this.pick(WRONG) };
    if (kind === 1) return this.pick(WRONG);
    if (kind === 2) return Object.fromEntries(Object.entries(good).filter(([key]) => !schema.required?.includes(key)));
    return { ...good, [name]: this.pick(WRONG) };
  }
}

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, unknown>;
}

describe('requests out of /openapi.json', () => {
  const paths = openApi().paths as Record<string, Record<string, Operation>>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  );
  const closed = operations.filter(({ operation }) => operation.parameters);

  it.each(closed)('$name', async ({ name, path, operation }) => {
    const make = new Maker(dice(name.length * 7919));
    const schema = operation.requestBody?.content['application/json'].schema;
    for (let i = 0; i < 60; i++) {
      const isValid = i % 2 === 0;
      const body = schema === undefined ? undefined : isValid ? make.valid(schema) : make.wrong(schema);
      const id = encodeURIComponent(make.text({}).replace(/[\ud800-\udfff]/g, ''));
      const project = make.pick(['mall', 'mall', 'other', 'nope', '']);
      const reply = await served.ask(`${path.replace('{id}', id)}?project=${project}`, body, {
        'x-request-id': `fuzz-${i}`,
      });
      const sent = `${JSON.stringify(body)?.slice(0, 300)} → ${reply.status} ${reply.text.slice(0, 300)}`;
      expect(reply.status, sent).toBeLessThan(500);
      expect(Object.keys(operation.responses), sent).toContain(String(reply.status));
      if (reply.status === 200) expect(reply.json.data_version).toMatch(/^[0-9a-f]{12}$/);
      else
        expect(reply.json.error, sent).toMatchObject({
          code: expect.stringMatching(/^[A-Z_]+$/),
          request_id: `fuzz-${i}`,
        });
      if (isValid) expect(String(reply.json.error?.code), sent).not.toMatch(/REQUEST_INVALID|BODY_/);
    }
    expect(served.lines().filter(({ level }) => level === 'error')).toEqual([]);
  });
});
