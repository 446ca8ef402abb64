import { isSecretName, secretsIn } from '../text/index.js';
import type { NodeEnv } from './node.js';
import type { RunState } from './state.js';

/** What stands in place of a secret. */
const MASK = '***';
/** Shorter values of the environment are words that occur anywhere. */
const MIN_SECRET = 8;
/** Characters that nobody sees and models read (Unicode tags): no source file has a use for them. */
const INVISIBLE = /[\u{E0000}-\u{E007F}]/gu;

/**
 * Marks text of the repository, of commits and of tools as data, and takes secrets out of it. Everything that a model reads and no user
 * said goes through here.
 *
 * The marks carry a number that is drawn for each run: a file can't end the part that it stands in.
 *
 * @param what where the text is from, for the model
 * @param kind `output` of a command, where what stands behind `password:` is a value; in `code` it may be a variable
 */
export function asData(
  { runId }: Pick<RunState, 'runId'>,
  env: Pick<NodeEnv, 'project'>,
  what: string,
  text: string,
  kind: 'code' | 'output' = 'code',
): string {
  const mark = runId.slice(0, 6) || '0';
  const [open, close] = [`<数据 ${mark} ${what.replace(/[<>\s]+/g, ' ')}>`, `</数据 ${mark}>`];
  const clean = withoutKnown(withoutShaped(text.replace(INVISIBLE, ''), kind), env);
  return `${open}\n${clean.replaceAll(close, `</数据 ${MASK}>`)}\n${close}`;
}

/** What a result fades to, under the same marks, in one line. */
export function asDataLine(state: Pick<RunState, 'runId'>, env: Pick<NodeEnv, 'project'>, line: string): string {
  return asData(state, env, '', line).replaceAll('\n', '');
}

/** The kind of text that a tool returns. */
export function kindOf(tool: string): 'code' | 'output' {
  return tool.startsWith('run_') ? 'output' : 'code';
}

function withoutShaped(text: string, kind: 'code' | 'output'): string {
  let out = text;
  // From the end, so that the places of those before stay right.
  for (const { start, end } of secretsIn(text, kind === 'code' ? 'code' : 'prose').reverse())
    out = out.slice(0, start) + MASK + out.slice(end);
  return out;
}

/** Secrets that we hold ourselves, whatever they look like: keys of the settings, and what the environment names as secret. */
function withoutKnown(text: string, { project }: Pick<NodeEnv, 'project'>): string {
  const { model } = project.config;
  const own = [model.apiKey, ...(model.fallbacks ?? []).map(({ apiKey }) => apiKey)];
  const named = Object.entries(process.env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  return [...own, ...named]
    .filter((value) => value !== undefined && value.length >= MIN_SECRET)
    .reduce((out: string, value) => out.replaceAll(value as string, MASK), text);
}
