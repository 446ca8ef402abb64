import { HumanMessage } from '@langchain/core/messages';
import * as z from 'zod';
import { fold, identifiersOf } from '../text/index.js';
import { type AnyContract, commandIn, jsonSchemaOf, missingParameters } from '../tools/index.js';
import { askJson } from './ask-json.js';
import { modelFailure } from './ask-model.js';
import type { NodeEnv } from './node.js';
import { prompt } from './prompts.js';
import type { RunUpdate } from './state.js';

type Property = { type?: string; enum?: string[]; description?: string };

/** A number with a measure word behind it says how many. */
const COUNT = /(?<![\w.])(\d+)\s*(?:条|个|行|次|台|份|页|天|秒|分钟|小时|遍|项)/g;

/**
 * Parameters that the user's words state, without a model: values of an enumeration that occur, a number for the only numeric
 * parameter (an optional one wants a measure word: 「搜 404」 is no count), what stands in quotes for the only required text.
 * Nothing is guessed; what is not said, or does not fit, stays missing.
 *
 * @param text the user's words
 * @returns values by parameter name, each valid for the contract
 */
export function statedParameters(contract: AnyContract, text: string): Record<string, unknown> {
  const schema = jsonSchemaOf(contract);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Property>);
  const required = new Set(schema.required ?? []);
  const input: Record<string, unknown> = {};
  for (const [name, p] of properties) {
    const choice = p.enum?.filter((value) => occurs(value, text));
    if (choice?.length === 1) input[name] = choice[0];
  }
  const numeric = properties.filter(([, p]) => p.type === 'integer' || p.type === 'number');
  if (numeric.length === 1) {
    const name = numeric[0]![0];
    const numbers = required.has(name)
      ? (text.match(/(?<![\w.])\d+(?:\.\d+)?(?![\w.])/g) ?? [])
      : [...text.matchAll(COUNT)].map((m) => m[1]);
    if (numbers.length === 1) input[name] = Number(numbers[0]);
  }
  const texts = properties.filter(([name, p]) => p.type === 'string' && !p.enum && required.has(name));
  if (texts.length === 1) {
    const name = texts[0]![0];
    const said = quoted(text) ?? (name === 'command' ? commandIn(text) : onlyIdentifier(text));
    if (said) input[name] = said;
  }
  const faulty = new Set(faultsOf(contract, input).keys());
  return Object.fromEntries(Object.entries(input).filter(([name]) => !faulty.has(name)));
}

/** Whether a value of an enumeration stands in the text; a Latin one as a word of its own (`order` is not in `reorder`). */
function occurs(value: string, text: string): boolean {
  const [word, words] = [fold(value), fold(text)];
  for (let at = words.indexOf(word); at >= 0; at = words.indexOf(word, at + 1)) {
    const isInside = (c: string | undefined, edge: string | undefined) =>
      /[\w-]/.test(c ?? '') && /\w/.test(edge ?? '');
    const whole = !isInside(words[at - 1], word[0]) && !isInside(words[at + word.length], word.at(-1));
    if (whole && !TAKEN_BACK.test(words.slice(0, at))) return true;
  }
  return false;
}

/** What is wrong with values that are there, by parameter name. */
function faultsOf(contract: AnyContract, input: Record<string, unknown>): Map<string, string> {
  const parsed = contract.input.safeParse(input);
  const issues = parsed.success ? [] : parsed.error.issues;
  return new Map(
    issues.filter((i) => Object.hasOwn(input, String(i.path[0]))).map((i) => [String(i.path[0]), i.message]),
  );
}

/** Values in the type that the contract wants: what people type is text, also where a number is meant. */
export function coerced(contract: AnyContract, input: Record<string, unknown>): Record<string, unknown> {
  const properties = (jsonSchemaOf(contract).properties ?? {}) as Record<string, Property>;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const type = properties[name]?.type;
      if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return [name, String(value)];
      if (typeof value !== 'string') return [name, value];
      if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(value.trim()))
        return [name, Number(value)];
      if (type === 'boolean' && /^(true|是|对|yes)$/i.test(value.trim())) return [name, true];
      if (type === 'boolean' && /^(false|否|不|no)$/i.test(value.trim())) return [name, false];
      return [name, value];
    }),
  );
}

/** The parameters to ask for: required ones that are missing, and any whose value does not fit. */
export function openParameters(
  contract: AnyContract,
  input: Record<string, unknown>,
): { name: string; explain: string; choices: string[] }[] {
  const missing = missingParameters(contract, input);
  const properties = (jsonSchemaOf(contract).properties ?? {}) as Record<string, Property>;
  const unfit = [...faultsOf(contract, input).keys()].filter((name) => !missing.some((m) => m.name === name));
  return [
    ...missing,
    ...unfit.map((name) => ({
      name,
      explain: `${properties[name]?.description ?? name}；给的值「${String(input[name])}」不合要求`,
      choices: properties[name]?.enum ?? [],
    })),
  ];
}

/** Whether the user's words hold a value. What a model adds of its own is a guess, however plausible. */
function isSaid(value: unknown, text: string): boolean {
  if (typeof value === 'number') return (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number).includes(value);
  return typeof value === 'string' && value.trim() !== '' && fold(text).includes(fold(value.trim()));
}

/** Words before a value that take it back: 「不要动 prod」, `non-prod`. */
const TAKEN_BACK = /(不要|不用|别|勿|除了|非|non-?|not |no |except )[\s动碰改重启]*$/i;

function quoted(text: string): string | undefined {
  return text.match(/[「『“"'`]([^」』”"'`]{1,500})[」』”"'`]/)?.[1];
}

function onlyIdentifier(text: string): string | undefined {
  const found = identifiersOf(text);
  return found.length === 1 ? found[0] : undefined;
}

/** Parameters by the model: only what was said, validated property by property; a fault leaves them to be asked for. */
export async function modelParameters(
  contract: AnyContract,
  text: string,
  env: NodeEnv,
): Promise<{ input: Record<string, unknown>; usage?: RunUpdate['usage'] }> {
  if (!env.model) return { input: {} };
  try {
    const system = prompt('fill', {
      name: contract.name,
      description: contract.description,
      schema: JSON.stringify(jsonSchemaOf(contract)),
    });
    const question = { system, messages: [new HumanMessage(text)] };
    const { parsed, usage } = await askJson(env, question, z.record(z.string(), z.unknown()));
    const known = new Set(Object.keys(jsonSchemaOf(contract).properties ?? {}));
    const values = parsed.ok
      ? Object.fromEntries(Object.entries(parsed.value).filter(([k, v]) => known.has(k) && isSaid(v, text)))
      : {};
    return { input: values, usage };
  } catch (e) {
    modelFailure(e, env);
    return { input: {} };
  }
}
