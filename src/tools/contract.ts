import * as z from 'zod';
import { XiheError } from '../errors.js';
import '../zod-zh.js';
import type { AnyContract, ToolContract } from './types.js';

/** Longest description, in characters (DESIGN §4): longer ones make models choose worse and cost tokens every turn. */
export const MAX_DESCRIPTION = 50;

/**
 * Checks a contract when it is defined: description, explained parameters, examples that validate, a time limit.
 *
 * @param contract the tool
 * @returns the same contract
 * @throws XiheError TOOL_CONTRACT_INVALID with what is wrong
 */
export function defineTool<I, O>(contract: ToolContract<I, O>): ToolContract<I, O> {
  const faults = contractFaults(contract);
  if (faults.length === 0) return contract;
  throw new XiheError('TOOL_CONTRACT_INVALID', `工具 ${contract.name} 的契约有误：${faults.join('；')}`, {
    hint: '描述不超过 50 字，每个参数写清含义，示例要能通过校验。',
  });
}

/** What is wrong with a contract, in Chinese; empty when it is fine. */
export function contractFaults(contract: AnyContract): string[] {
  const faults: string[] = [];
  if (!/^[a-z][a-z0-9_]{1,40}$/.test(contract.name)) faults.push('名字只能是小写字母、数字和下划线');
  if ([...contract.description].length > MAX_DESCRIPTION) faults.push(`描述超过 ${MAX_DESCRIPTION} 字`);
  if (contract.description.trim() === '') faults.push('缺描述');
  if (contract.timeoutMs <= 0) faults.push('缺超时');
  for (const [name, property] of Object.entries(jsonSchemaOf(contract).properties ?? {})) {
    if (!(property as { description?: string }).description) faults.push(`参数 ${name} 没有说明`);
  }
  if (contract.examples.length === 0) faults.push('缺示例');
  for (const example of contract.examples) {
    const parsed = contract.input.safeParse(example);
    if (!parsed.success) faults.push(`示例不合参数模式：${JSON.stringify(example)}`);
  }
  return faults;
}

/** The JSON Schema of a tool's input, as models and MCP clients want it. */
export function jsonSchemaOf(contract: AnyContract): {
  type: 'object';
  properties?: Record<string, unknown>;
  required?: string[];
} {
  const schema = z.toJSONSchema(contract.input, { io: 'input', target: 'draft-7' }) as Record<string, unknown>;
  const { $schema: _dialect, ...rest } = schema;
  return rest as { type: 'object'; properties?: Record<string, unknown>; required?: string[] };
}
