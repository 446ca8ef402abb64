/** Time limits of tools, in one place: contracts are checked against them, and calls are held to them. */

/** Longest time of one call of the model when nobody set `model.timeoutSeconds`, in seconds. */
export const DEFAULT_MODEL_SECONDS = 180;

/**
 * What a tool may take at most, as a share of the model's time. A turn is one call of the model and the tools that it asked for: a tool
 * that could take longer than the model would decide alone how long a run hangs.
 */
const TOOL_SHARE = 1 / 2;

/** Time limit of a tool that does not say how long it needs, in seconds: what takes longer wants a reason. */
export const DEFAULT_TOOL_SECONDS = 10;

/**
 * Longest time of one call of any tool.
 *
 * @param modelSeconds longest time of one call of the model
 * @returns milliseconds
 */
export function toolCeilingMs(modelSeconds = DEFAULT_MODEL_SECONDS): number {
  return modelSeconds * 1000 * TOOL_SHARE;
}

/** How long the end of a command may take behind its own limit: SIGTERM, half a second, SIGKILL, the last output. Milliseconds. */
const SETTLE_MS = 2_000;

/**
 * Time limit of a command that a tool runs: what is asked for, and so much less than the tool's own limit that its end, and what it
 * printed until then, are still told.
 *
 * @returns milliseconds: of the command, and of the tool around it
 */
export function commandLimits(
  seconds: number,
  modelSeconds = DEFAULT_MODEL_SECONDS,
): { command: number; tool: number } {
  const ceiling = toolCeilingMs(modelSeconds);
  const command = Math.min(seconds * 1000, Math.max(ceiling / 2, ceiling - SETTLE_MS));
  return { command, tool: Math.min(command + SETTLE_MS, ceiling) };
}
