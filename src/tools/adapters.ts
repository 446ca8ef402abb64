import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { callTool } from './call.js';
import { jsonSchemaOf } from './contract.js';
import type { AnyContract, ToolContext } from './types.js';

/**
 * A contract as a LangChain tool, for graphs and agents of others. Our own loop calls {@link callTool} directly, because it
 * needs the outcome's code beside its text.
 */
export function toLangChainTool(contract: AnyContract, ctx: ToolContext): StructuredToolInterface {
  return tool(async (input: unknown) => (await callTool(contract, input, ctx)).text, {
    name: contract.name,
    description: contract.description,
    schema: jsonSchemaOf(contract) as never,
  });
}

/**
 * What a schema says of least sizes and defaults is in the explanations too, and is checked at each call. The tools go with every request
 * of a run: without these keys and the examples of flat tools they are a sixth smaller. Upper bounds stay: to run into one costs a turn.
 */
const SAID_ELSEWHERE = new Set(['minLength', 'minItems', 'minimum', 'default']);

/**
 * A contract in the form that OpenAI-compatible endpoints take in `tools`. An example goes with it only where a parameter has an inside:
 * of flat ones the explanations say all, and whoever still gets them wrong is answered with the example.
 */
export function toOpenAiTool(contract: AnyContract): {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
} {
  const full = jsonSchemaOf(contract);
  // Somebody else's schema is passed on as it came: nobody here knows what it says elsewhere.
  const parameters = contract.inputSchema ? full : (lean(full) as typeof full);
  const [example] = contract.examples;
  const shown = example !== undefined && hasInside(full) ? ` 例：${JSON.stringify(example)}` : '';
  return {
    type: 'function',
    function: {
      name: contract.name,
      description: `${contract.description}${shown}`,
      parameters: parameters as Record<string, unknown>,
    },
  };
}

/** A schema without {@link SAID_ELSEWHERE}; names of parameters are no keys of it. */
function lean(node: unknown, isNames = false): unknown {
  if (Array.isArray(node)) return node.map((one) => lean(one));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(
    // zod writes this bound for every whole number.
    ([key, value]) => isNames || !(SAID_ELSEWHERE.has(key) || value === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, lean(value, !isNames && key === 'properties')]));
}

/** Whether a parameter is an object or a list of such. */
function hasInside({ properties = {} }: { properties?: Record<string, unknown> }): boolean {
  return Object.values(properties).some((property) => {
    const { type, items } = property as { type?: unknown; items?: { type?: unknown } };
    return type === 'object' || items?.type === 'object';
  });
}
