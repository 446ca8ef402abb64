/** The public face of the MCP server: the core and the paths of a project for any other agent. */

export { createMcpHandler, type McpHandler, type McpHandlerOptions, type McpVisitor } from './http.js';
export { type Listening, listen } from './listen.js';
export { type McpProject, openMcpProject } from './project.js';
export { servedSource } from './served.js';
export { McpSession, type ProjectSource, type SessionOptions } from './session.js';
export { ClientRoots, OneProject } from './sources.js';
export { LineTransport } from './stdio.js';
export { DEFAULT_MAX_TOKENS, MAX_TOKENS } from './tools.js';
