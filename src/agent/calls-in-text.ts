import { readLoose } from './loose-json.js';

/** `<tool_call>{"name": …, "arguments": …}</tool_call>`: what Qwen, Hermes and others are trained on. */
const MARKED = /<tool_call>\s*([\s\S]*?)\s*<\/tool_call>/g;
/** A fence around the whole message. */
const FENCED = /^```(?:json|tool_call)?\s*\n([\s\S]*?)\n?```$/;

interface TextCalls {
  /** What is left of the text. */
  text: string;
  calls: { name: string; args: string }[];
}

/**
 * Tool calls that stand in a reply's text because the server has no parser for them: blocks in marks at the end of the text, or a
 * text that is nothing but one call. A call that is only mentioned among other words is left alone, and so is a name that was
 * not offered: a file that the model quotes must not become an act.
 *
 * @param tools names that were offered
 * @returns null when the text holds no calls
 */
export function callsInText(text: string, tools: readonly string[]): TextCalls | null {
  if (tools.length === 0) return null;
  const trimmed = text.trim();
  const marked = [...trimmed.matchAll(MARKED)];
  if (marked.length > 0) {
    const last = marked.at(-1)!;
    if (last.index + last[0].length !== trimmed.length) return null;
    const calls = marked.map(([, body = '']) => callOf(body, tools));
    if (calls.some((call) => call === null)) return null;
    return { text: trimmed.slice(0, marked[0]!.index).trim(), calls: calls as TextCalls['calls'] };
  }
  const body = FENCED.exec(trimmed)?.[1] ?? trimmed;
  const call = body.startsWith('{') ? callOf(body, tools) : null;
  return call === null ? null : { text: '', calls: [call] };
}

/** The call that a JSON object describes, and nothing else. */
function callOf(body: string, tools: readonly string[]): { name: string; args: string } | null {
  const read = readLoose(body.trim(), 0);
  if (read === null || read.end !== body.trim().length || read.repairs.has('cut-off')) return null;
  const { name, arguments: args, parameters } = (read.value ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || !tools.includes(name)) return null;
  const given = args ?? parameters ?? {};
  return { name, args: typeof given === 'string' ? given : JSON.stringify(given) };
}
