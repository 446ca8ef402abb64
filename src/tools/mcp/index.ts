import type { TeamDestination } from '../team-tools.js';
import { loadMcpServers, variablesOf } from './config.js';

export { MCP_FILE } from './config.js';
export type { McpTool } from './contract.js';
export { McpHub, type McpStatus } from './hub.js';
export { variablesOf };

/** The servers that a repository declares, as something to be trusted or not. */
export function mcpDestinations(
  root: string,
  layerDir: string,
  env: NodeJS.ProcessEnv = process.env,
): TeamDestination[] {
  return loadMcpServers(root, layerDir, env).servers.flatMap(({ destination, trusted }) =>
    destination === undefined ? [] : [{ ...destination, trusted }],
  );
}
