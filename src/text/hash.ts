import { createHash } from 'node:crypto';

/** 12 hex digits are 48 bits: for a million entries the chance of any collision is about 0.2 %. */
const HASH_HEX_DIGITS = 12;

/**
 * A short content hash, the same on every machine.
 *
 * @param content text (hashed as UTF-8) or bytes
 * @returns the first 12 hex digits of its SHA-256
 */
export function stableHash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, HASH_HEX_DIGITS);
}
