import { HumanMessage } from '@langchain/core/messages';
import * as z from 'zod';
import { fold, identifiersOf } from '../text/index.js';
import { type AnyContract, jsonSchemaOf } from '../tools/index.js';
import { askModel, modelFailure } from './ask-model.js';
import { parseJsonReply } from './json.js';
import { type NodeEnv, textOf } from './node.js';
import { prompt } from './prompts.js';
import type { RunUpdate } from './state.js';

type Property = { type?: string; enum?: string[]; description?: string };

/**
 * Parameters that the user's words state, without a model: values of an enumeration that occur, a number for the only numeric
 * parameter, what stands in quotes for the only required text. Nothing is guessed; what is not said stays missing.
 */
export function statedParameters(contract: AnyContract, text: string): Record<string, unknown> {
  const schema = jsonSchemaOf(contract);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Property>);
  const required = new Set(schema.required ?? []);
  const folded = fold(text);
  const input: Record<string, unknown> = {};
  for (const [name, p] of properties) {
    const choice = p.enum?.filter((value) => folded.includes(fold(value)));
    if (choice?.length === 1) input[name] = choice[0];
  }
  const numeric = properties.filter(([, p]) => p.type === 'integer' || p.type === 'number');
  const numbers = text.match(/(?<![\w.])\d+(?:\.\d+)?(?![\w.])/g) ?? [];
  if (numeric.length === 1 && numbers.length === 1) input[numeric[0]![0]] = Number(numbers[0]);
  const texts = properties.filter(([name, p]) => p.type === 'string' && !p.enum && required.has(name));
  if (texts.length === 1) {
    const said = quoted(text) ?? onlyIdentifier(text);
    if (said) input[texts[0]![0]] = said;
  }
  return input;
}

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
    const { reply, usage } = await askModel(env, {
      system: prompt('fill', {
        name: contract.name,
        description: contract.description,
        schema: JSON.stringify(jsonSchemaOf(contract)),
      }),
      messages: [new HumanMessage(text)],
    });
    const parsed = parseJsonReply(textOf(reply.message), z.record(z.string(), z.unknown()));
    const known = new Set(Object.keys(jsonSchemaOf(contract).properties ?? {}));
    const values = parsed.ok
      ? Object.fromEntries(Object.entries(parsed.value).filter(([k, v]) => known.has(k) && v !== null && v !== ''))
      : {};
    return { input: values, usage };
  } catch (e) {
    modelFailure(e, env);
    return { input: {} };
  }
}
