import { plainLine } from '../text/index.js';
import { argumentFacts, programOf, shownCommand } from './file-facts.js';
import { commandLimits } from './limits.js';
import type { AnyContract, Preview, ToolContext } from './types.js';

/**
 * What a call would do, for whoever is asked: by the contract itself, else its parameters.
 *
 * @param input parsed
 * @throws what keeps the call from being made, as XiheError: then there is nothing to ask about
 */
export async function previewOf(
  contract: AnyContract,
  input: Record<string, unknown>,
  ctx: ToolContext,
): Promise<Preview> {
  const own = await contract.preview?.(input, ctx);
  const lines = own?.lines ?? Object.entries(input).map(([name, value]) => `${name}：${shown(value)}`);
  const source = own || contract.source === undefined ? [] : [`工具：${contract.name}`, `来源：${contract.source}`];
  return { lines: [contract.description, ...lines, ...source], now: own?.now ?? [] };
}

function shown(value: unknown): string {
  return plainLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

/** What a command on this machine would do, by itself and to the files that it names. */
export function commandPreview(
  argv: string[],
  tool: { file: string; env: string[]; timeout_seconds: number },
  { root, modelSeconds }: ToolContext,
): Preview {
  const program = programOf(root, argv[0] ?? '');
  const seconds = Math.round(commandLimits(tool.timeout_seconds, modelSeconds).command / 1000);
  return {
    lines: [
      `命令：${shownCommand(argv)}`,
      ...(program ? [`程序：${program}`] : []),
      `在哪里：${root}，不隔离，最多 ${seconds} 秒`,
      ...(tool.env.length > 0 ? [`用到的环境变量：${tool.env.join('、')}`] : []),
      `来源：repo://${tool.file}`,
    ],
    now: argumentFacts(root, argv.slice(1)),
  };
}
