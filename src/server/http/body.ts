import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { XiheError } from '../../errors.js';
import { faultsOf } from '../../zod-zh.js';
import { BODY_BYTES } from './limits.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The body of a request as a schema has it.
 *
 * @throws XiheError BODY_TYPE, BODY_TOO_LARGE, BODY_NOT_UTF8, BODY_NOT_JSON, REQUEST_INVALID
 */
export async function readBody<S extends z.ZodType>(incoming: IncomingMessage, schema: S): Promise<z.output<S>> {
  assertType(incoming);
  const bytes = await bytesOf(incoming);
  return checked(jsonOf(textOf(bytes)), schema);
}

/** A type that no form of a web page can send by itself, so that browsers ask first whether they may. */
function assertType({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (/^application\/json\s*(?:;|$)/i.test(type) && encoding === 'identity') return;
  throw new XiheError('BODY_TYPE', '请求体要是不压缩的 JSON', { hint: '加上请求头 Content-Type: application/json。' });
}

function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > BODY_BYTES) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    incoming.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= BODY_BYTES) pieces.push(piece);
      else {
        incoming.pause();
        reject(tooLarge());
      }
    });
    incoming.once('end', () => resolve(Buffer.concat(pieces)));
    // A client that went away in the middle: nobody will read why.
    const gone = (cause?: unknown) =>
      reject(new XiheError('CANCELLED', '连接断开了', { hint: '重新发一次。', ...(cause ? { cause } : {}) }));
    incoming.once('error', gone);
    incoming.once('close', () => gone());
  });
}

function tooLarge(): XiheError {
  return new XiheError('BODY_TOO_LARGE', `请求体超过 ${BODY_BYTES / 1_000_000} MB`, {
    hint: '只发要查的那句话和相关的符号、路径，不用发整个文件。',
  });
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new XiheError('BODY_NOT_UTF8', '请求体不是 UTF-8', {
      hint: '用 UTF-8 编码再发；GBK 的文字要先转换。',
      cause,
    });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new XiheError('BODY_NOT_JSON', text.trim() === '' ? '请求体是空的' : '请求体不是完整的 JSON', {
      hint: '看 /openapi.json 里这个地址的例子。',
      cause,
    });
  }
}

/** A value by a schema. @throws XiheError REQUEST_INVALID with every fault */
export function checked<S extends z.ZodType>(value: unknown, schema: S): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = faultsOf(parsed.error, schema).slice(0, FAULTS_MAX);
  throw new XiheError(
    'REQUEST_INVALID',
    `请求不对：${faults.map(({ reason }) => reason.slice(0, FAULT_CHARS)).join('；')}`,
    {
      hint: '看 /openapi.json 里这个地址的参数和例子。',
      details: { fields: faults.map(({ path }) => path.map(String).join('.').slice(0, FAULT_CHARS)) },
    },
  );
}

/** Faults that one answer names: a body of wrong things has thousands. */
const FAULTS_MAX = 10;
/** Characters of one fault: keys may be as long as a body. */
const FAULT_CHARS = 200;
