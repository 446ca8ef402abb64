import { hashOf } from './durable.js';

/** A folder's name for an id: the id where it is plain, a hash where it is not (two Chinese ids must not meet). */
export function folderName(id: string): string {
  return /^[A-Za-z0-9][\w-]{0,80}$/.test(id) ? id : `x-${hashOf(id).slice(0, 24)}`;
}
