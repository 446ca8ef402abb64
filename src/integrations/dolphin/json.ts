/** Digits of a whole number that a double no longer holds for sure: 2^53 has 16. */
const UNSAFE = /^-?\d{16,}$/;
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Reads JSON whose whole numbers may pass 2^53 (codes of workflows and tasks): such numbers come out as texts, exactly as written.
 *
 * @throws SyntaxError
 */
export function parseBigJson(text: string): unknown {
  return JSON.parse(text.replace(TOKENS, (token) => (UNSAFE.test(token) ? `"${token}"` : token)));
}

/** A table, or an empty one for whatever else came. */
export function tableOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** A number or text as text; undefined for anything else and for an empty text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
