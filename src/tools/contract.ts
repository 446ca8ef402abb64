import * as z from 'zod';
import { XiheError } from '../errors.js';
import '../zod-zh.js';
import { type SchemaNode, unexplained, unknownKeys } from './contract-schema.js';
import { DEFAULT_MODEL_SECONDS, toolCeilingMs } from './limits.js';
import type { AnyContract, ToolContract } from './types.js';

/** Longest description, in characters (DESIGN §4): longer ones make models choose worse and cost tokens every turn. */
export const MAX_DESCRIPTION = 50;
/** How dangerous a tool may call itself, and where its effect may lie. Files and servers of others say what they like. */
const DANGERS: readonly string[] = ['low', 'medium', 'high'];
const EFFECTS: readonly string[] = ['none', 'changeset', 'scratch', 'outside'];
/** A role as identity systems write it: `developer`, `ops-lead`, `dba:prod`. */
const ROLE = /^[A-Za-z][\w:-]{0,63}$/;

/** One thing that is wrong with a contract. */
export interface ContractFault {
  /** What of the contract it is about; in a file that may be another key. */
  part: 'name' | 'description' | 'timeout' | 'danger' | 'role' | 'parameters' | 'examples';
  /** The parameter, or the index of the example. */
  at?: string | number;
  /** In Chinese. */
  reason: string;
}

/**
 * Checks a contract when it is defined: description, explained parameters, examples that validate, danger, role, a time limit.
 *
 * @param contract the tool
 * @returns the same contract
 * @throws XiheError TOOL_CONTRACT_INVALID with what is wrong
 */
export function defineTool<I, O>(contract: ToolContract<I, O>): ToolContract<I, O> {
  const faults = contractFaults(contract);
  if (faults.length === 0) return contract;
  const reasons = faults.map(({ reason }) => reason).join('；');
  throw new XiheError('TOOL_CONTRACT_INVALID', `工具 ${contract.name} 的契约有误：${reasons}`, {
    hint: '描述不超过 50 字，每个参数（里层的也算）写清含义，示例要能通过校验、没有多余的键。',
  });
}

/**
 * A tool that ships. Its contract is checked by a test over every file of `builtin/`, not here: to check all of them takes 40 ms of
 * each start.
 */
export function builtIn<I, O>(contract: ToolContract<I, O>): ToolContract<I, O> {
  return contract;
}

/**
 * What is wrong with a contract; empty when it is fine.
 *
 * @param modelSeconds longest time of one call of the model; a tool may take half of it
 */
export function contractFaults(contract: AnyContract, modelSeconds = DEFAULT_MODEL_SECONDS): ContractFault[] {
  return [
    ...headFaults(contract, modelSeconds),
    ...unexplained(jsonSchemaOf(contract) as SchemaNode).map(
      ({ path, reason }): ContractFault => ({ part: 'parameters', at: path.split(/[.[]/)[0]!, reason }),
    ),
    ...exampleFaults(contract),
  ];
}

function headFaults(contract: AnyContract, modelSeconds: number): ContractFault[] {
  const { name, description, timeoutMs, danger, effect, aclRole } = contract;
  const faults: ContractFault[] = [];
  const add = (part: ContractFault['part'], reason: string) => faults.push({ part, reason });
  if (!/^[a-z][a-z0-9_]{1,40}$/.test(name)) add('name', '名字只能是小写字母、数字和下划线');
  const length = [...description].length;
  if (length > MAX_DESCRIPTION) add('description', `描述超过 ${MAX_DESCRIPTION} 字（有 ${length} 字）`);
  if (description.trim() === '') add('description', '缺描述');
  if (!DANGERS.includes(danger)) add('danger', `危险等级只能是 ${DANGERS.join('、')}`);
  if (!EFFECTS.includes(effect)) add('danger', `影响范围只能是 ${EFFECTS.join('、')}`);
  if (contract.readOnly && (effect === 'outside' || effect === 'changeset') && danger === 'high')
    add('danger', '只读的工具不会是高危');
  if (!ROLE.test(aclRole)) add('role', '角色只能是字母开头的字母、数字、_、-、:，最长 64 个');
  const most = toolCeilingMs(modelSeconds);
  if (!(timeoutMs > 0)) add('timeout', '缺超时');
  else if (timeoutMs > most)
    add('timeout', `超时 ${timeoutMs / 1000} 秒太长：最多是模型超时（${modelSeconds} 秒）的一半，${most / 1000} 秒`);
  return faults;
}

/** Examples are what models copy: they must pass, and hold nothing that the tool does not know. */
function exampleFaults(contract: AnyContract): ContractFault[] {
  if (contract.examples.length === 0) return [{ part: 'examples', reason: '缺示例' }];
  const schema = jsonSchemaOf(contract) as SchemaNode;
  return contract.examples.flatMap((example, at): ContractFault[] => {
    const parsed = contract.input.safeParse(example);
    const shown = JSON.stringify(example);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue?.path.map(String).join('.');
      return [
        { part: 'examples', at, reason: `示例不合参数模式：${shown}（${where ? `${where}：` : ''}${issue?.message}）` },
      ];
    }
    return unknownKeys(schema, example).map((key) => ({
      part: 'examples',
      at,
      reason: `示例里有参数模式没有的键 ${key}：${shown}`,
    }));
  });
}

/** The JSON Schema of a tool's input, as models and MCP clients want it. */
export function jsonSchemaOf(contract: AnyContract): {
  type: 'object';
  properties?: Record<string, unknown>;
  required?: string[];
} {
  if (contract.inputSchema) return contract.inputSchema;
  const schema = z.toJSONSchema(contract.input, { io: 'input', target: 'draft-7' }) as Record<string, unknown>;
  const { $schema: _dialect, ...rest } = schema;
  return rest as { type: 'object'; properties?: Record<string, unknown>; required?: string[] };
}
