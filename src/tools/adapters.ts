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

/** A contract in the form that OpenAI-compatible endpoints take in `tools`. */
export function toOpenAiTool(contract: AnyContract): {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
} {
  const example = contract.examples[0] === undefined ? '' : ` 例：${JSON.stringify(contract.examples[0])}`;
  return {
    type: 'function',
    function: {
      name: contract.name,
      description: `${contract.description}${example}`,
      parameters: jsonSchemaOf(contract) as Record<string, unknown>,
    },
  };
}
