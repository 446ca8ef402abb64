/** A tool as its server tells of it: every word is somebody else's. */
export interface McpToolInfo {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: { [key: string]: unknown };
  annotations?:
    | {
        title?: string | undefined;
        readOnlyHint?: boolean | undefined;
        destructiveHint?: boolean | undefined;
        idempotentHint?: boolean | undefined;
      }
    | undefined;
}

/** What a call gave back, as text. */
export interface McpReply {
  text: string;
  isError: boolean;
}

/** One open server. */
export interface McpPeer {
  readonly tools: readonly McpToolInfo[];
  /** False once it has ended or was closed. */
  readonly isOpen: boolean;
  /**
   * @param options.timeoutMs in ms
   * @throws XiheError MCP_FAILED, MCP_UNAVAILABLE, COMMAND_TIMEOUT
   */
  call(
    name: string,
    args: Record<string, unknown>,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<McpReply>;
  close(): Promise<void>;
}
