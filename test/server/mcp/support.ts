import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { packageRoot } from '../../../src/assets.js';
import { cleanEnv } from '../../support/mall.js';

/** A result of a tool, as tests look at it. */
export interface Reply {
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents whose schema the SDK's client has checked
  data: any;
  isError: boolean;
}

export async function callText(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Reply> {
  const reply = await client.callTool({ name, arguments: args });
  const [first] = reply.content as { text: string }[];
  return { text: first?.text ?? '', data: reply.structuredContent, isError: reply.isError === true };
}

/** The official client, talking to the real command over its standard streams. */
export async function connectStdio(
  args: readonly string[],
  options: { cwd?: string; capabilities?: ClientCapabilities; before?: (client: Client) => void } = {},
): Promise<{ client: Client; transport: StdioClientTransport; stderr: () => string }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(packageRoot(), 'bin', 'xihe'), 'mcp', ...args],
    env: cleanEnv() as Record<string, string>,
    stderr: 'pipe',
    ...(options.cwd ? { cwd: options.cwd } : {}),
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: options.capabilities ?? {} });
  options.before?.(client);
  await client.connect(transport);
  return { client, transport, stderr: () => said };
}
