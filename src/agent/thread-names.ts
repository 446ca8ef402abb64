import { createHash, randomBytes } from 'node:crypto';
import { quoted, XiheError } from '../errors.js';

/** A new thread's name: date and five random characters, short enough to type. */
export function newThreadName(now = new Date()): string {
  const date = now.toISOString().slice(0, 10).replaceAll('-', '');
  return `t${date}-${randomBytes(4).toString('hex').slice(0, 5)}`;
}

/** Longest file name that we make, in characters: file systems allow 255, and a lock has an ending and a temporary name. */
const MAX_FILE_NAME = 150;

/** A file name for a thread of any characters; two threads never share one, on file systems that fold case too. */
export function fileName(thread: string): string {
  const hex = Buffer.from(thread, 'utf8').toString('hex');
  return hex.length <= MAX_FILE_NAME ? hex : createHash('sha256').update(thread).digest('hex');
}

/** What is said where there is no such thread. */
export function notFound(thread: string): XiheError {
  return new XiheError('THREAD_NOT_FOUND', `没有会话 ${quoted(thread)}`, {
    hint: '用 xihe threads 看有哪些会话；注意 --repo 要指向当时的项目。',
  });
}
