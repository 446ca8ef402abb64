import { randomBytes } from 'node:crypto';
import { hashOf } from './durable.js';

/** A folder's name for an id: the id where it is plain, a hash where it is not (two Chinese ids must not meet). */
export function folderName(id: string): string {
  return /^[A-Za-z0-9][\w-]{0,80}$/.test(id) ? id : `x-${hashOf(id).slice(0, 24)}`;
}

/** A new name: the day, and enough chance that no two of it are alike. */
export function newId(): string {
  return `c-${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
}
