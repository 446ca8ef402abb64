import type * as z from 'zod';
import zhCN from 'zod/v4/locales/zh-CN.js';
import { GUESSES, type JsonRepair, readLoose } from './loose-json.js';

export type { JsonRepair } from './loose-json.js';

/** JSON found in a text, with the liberties that were taken to read it. */
export type JsonFound = { ok: true; value: unknown; repairs: JsonRepair[] } | { ok: false; error: string };

/** The same, and of the wanted shape. */
export type JsonReply<T> = { ok: true; value: T; repairs: JsonRepair[] } | { ok: false; error: string };

/** Places that are tried: a reply has one or two pieces of JSON, not hundreds of braces. */
const MAX_CANDIDATES = 24;
/** Findings that an error names: enough to mend, few enough to read. */
const MAX_ISSUES = 5;

/** Words without quotes or commas: more often a bracket in prose than JSON. */
const PROSE_SIGNS: readonly JsonRepair[] = ['bare-word', 'missing-comma'];

const NOT_FOUND = '没有找到 JSON。请只输出一个 JSON 对象，不要解释，不要代码块标记。';
const { localeError } = zhCN();

/**
 * Finds the JSON object or array in a model's reply: alone, in a code fence or in prose; with trailing commas, single or
 * Chinese quotes, full-width punctuation, comments, Python literals, or cut off.
 *
 * @returns the longest that is complete, else the longest that is not
 */
export function extractJson(text: string): JsonFound {
  const best = candidates(text)[0];
  return best ? { ok: true, value: best.value, repairs: best.repairs } : { ok: false, error: NOT_FOUND };
}

/**
 * Finds the JSON in a reply that has the wanted shape.
 *
 * @param schema unknown keys are treated as the schema says
 * @returns the value, or what is wrong with it in Chinese, worded so that it can be sent back to the model as it is
 */
export function parseJsonReply<T>(text: string, schema: z.ZodType<T>): JsonReply<T> {
  let error = NOT_FOUND;
  for (const { value, repairs } of candidates(text)) {
    const parsed = schema.safeParse(value, { error: localeError });
    if (parsed.success) return { ok: true, value: parsed.data, repairs };
    // The first candidate is most likely what the model meant as its answer.
    if (error === NOT_FOUND) error = describe(parsed.error, repairs);
  }
  return { ok: false, error };
}

/**
 * Reads a tool's arguments: an object, with repairs that change no meaning and none that guess.
 *
 * @param raw what the endpoint sent, pieces joined
 */
export function parseArguments(
  raw: string,
): { ok: true; args: Record<string, unknown> } | { ok: false; error: string } {
  // Endpoints send nothing for a tool without parameters.
  if (raw.trim() === '') return { ok: true, args: {} };
  let problem: string;
  try {
    const value: unknown = JSON.parse(raw);
    if (isObject(value)) return { ok: true, args: value };
    problem = '参数应当是一个 JSON 对象';
  } catch (e) {
    problem = e instanceof Error ? e.message : String(e);
  }
  const whole = candidates(raw).flatMap(({ value, repairs }) =>
    isObject(value) && !repairs.some((r) => GUESSES.has(r)) ? [value] : [],
  );
  const [first] = whole;
  if (first === undefined) return { ok: false, error: problem };
  // Written twice is written once; of two different ones nobody knows which was meant.
  if (new Set(whole.map((value) => JSON.stringify(value))).size > 1)
    return { ok: false, error: '参数里有不止一个 JSON 对象' };
  return { ok: true, args: first };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Candidate {
  value: unknown;
  repairs: JsonRepair[];
}

/**
 * Objects and arrays in the text, the likeliest answer first: whole ones before cut-off ones, those that read like JSON before
 * those that may be prose in brackets, longer ones before shorter ones.
 */
function candidates(text: string): Candidate[] {
  const body = withoutThinking(text);
  const whole = strict(body);
  if (whole) return [whole];
  const found: Array<Candidate & { rank: number; length: number }> = [];
  let cutAt: number | undefined;
  const opening = /[{[｛［]/g;
  for (let tried = 0, m = opening.exec(body); m && tried < MAX_CANDIDATES; tried++, m = opening.exec(body)) {
    const read = readLoose(body, m.index);
    if (!read) continue;
    const isAlone = body.slice(0, m.index).trim() === '' && body.slice(read.end).trim() === '';
    const isCut = read.repairs.has('cut-off');
    const isProse = PROSE_SIGNS.some((sign) => read.repairs.has(sign));
    found.push({
      value: read.value,
      repairs: isAlone ? [...read.repairs] : ['prose', ...read.repairs],
      // Inside of a cut-off value a whole one is a part of the answer, unless the outer one is only a bracket in prose.
      rank: isProse ? 3 : isCut ? 1 : cutAt === undefined ? 0 : 2,
      length: read.end - m.index,
    });
    if (isCut) cutAt ??= m.index;
    // What lies inside of a whole value is no candidate of its own.
    else opening.lastIndex = read.end;
  }
  return found.sort((a, b) => a.rank - b.rank || b.length - a.length);
}

/** Valid JSON, or valid JSON inside a JSON string. */
function strict(text: string): Candidate | null {
  const value = tryParse(text);
  if (typeof value === 'object' && value !== null) return { value, repairs: [] };
  const inner = typeof value === 'string' ? tryParse(value) : undefined;
  return typeof inner === 'object' && inner !== null ? { value: inner, repairs: ['double-encoded'] } : null;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Some models think aloud before they answer; JSON in there is no answer. */
function withoutThinking(text: string): string {
  const end = text.lastIndexOf('</think>');
  return end < 0 ? text : text.slice(end + '</think>'.length);
}

function describe(error: z.ZodError, repairs: readonly JsonRepair[]): string {
  const lines = error.issues.slice(0, MAX_ISSUES).map((issue) => `- ${pathOf(issue.path)}：${issue.message}`);
  const more = error.issues.length > MAX_ISSUES ? `\n- 还有 ${error.issues.length - MAX_ISSUES} 处` : '';
  const cut = repairs.includes('cut-off') ? 'JSON 没有写完，' : '';
  return `${cut}JSON 不符合要求：\n${lines.join('\n')}${more}\n请改好后只输出完整的 JSON。`;
}

function pathOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '顶层';
  return path.map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`)).join('');
}
