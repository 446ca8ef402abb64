import { spawn } from 'node:child_process';
import { XiheError } from '../../errors.js';
import { plainLine } from '../../text/index.js';
import type { ScriptKind } from './create.js';

/** What a look at a script's syntax found. */
export type SyntaxResult =
  | { state: 'ok'; by: string }
  | { state: 'skipped'; why: string }
  | { state: 'wrong'; line: number; reason: string };

/** Longest time for one look, in ms: parsing 60 KB takes a fraction of a second. */
const LOOK_MS = 10_000;
/** Output kept, in bytes: the first messages say it. */
const OUTPUT_BYTES = 64 * 1024;

/** Names under which Python 3 may be found. `python` may be Python 2 on old machines, which would refuse good scripts. */
const PYTHONS = ['python3', 'python'];

/** Compiles as `python -m py_compile` does, without leaving a file, and gives the fault as one line of JSON. */
const COMPILE = `
import sys, json
if sys.version_info < (3,): sys.exit(9)
try:
    compile(sys.stdin.buffer.read(), sys.argv[1], 'exec', dont_inherit=True)
except (SyntaxError, ValueError) as e:
    print(json.dumps({'line': getattr(e, 'lineno', None) or 1, 'reason': getattr(e, 'msg', None) or str(e)}))
    sys.exit(8)
`;

/**
 * Checks syntax with the interpreter that is here, which runs nothing of the script: `bash -n`, or Python's compiler.
 *
 * @param name of the file, for messages
 * @returns `skipped` where no interpreter is here
 * @throws XiheError CANCELLED
 */
export async function syntaxOf(
  kind: ScriptKind,
  text: string,
  name: string,
  signal?: AbortSignal,
): Promise<SyntaxResult> {
  return kind === 'python' ? python(text, name, signal) : bash(text, signal);
}

async function bash(text: string, signal?: AbortSignal): Promise<SyntaxResult> {
  const run = await runInterpreter('bash', ['--norc', '-n'], text, signal);
  if (run === undefined) return { state: 'skipped', why: '这台机器没有 bash，没有检查语法' };
  if (run.code === null) return { state: 'skipped', why: 'bash 没有在时限内检查完' };
  if (run.code === 0) return { state: 'ok', by: 'bash -n' };
  // `bash: line 3: syntax error near …`; the words depend on nothing, since the locale is C.
  const [, line = '1', reason = run.stderr] = /line (\d+): (.*)/.exec(run.stderr) ?? [];
  return { state: 'wrong', line: Number(line), reason: plainLine(reason) };
}

async function python(text: string, name: string, signal?: AbortSignal): Promise<SyntaxResult> {
  for (const program of PYTHONS) {
    const run = await runInterpreter(program, ['-I', '-c', COMPILE, name], text, signal);
    if (run === undefined || run.code === 9) continue;
    if (run.code === 0) return { state: 'ok', by: 'py_compile' };
    if (run.code !== 8) return { state: 'skipped', why: `${program} 没能检查语法` };
    const { line, reason } = JSON.parse(run.stdout) as { line: number; reason: string };
    return { state: 'wrong', line, reason: plainLine(reason) };
  }
  return { state: 'skipped', why: '这台机器没有 Python 3，没有检查语法' };
}

/** How an interpreter ended. */
export interface Interpreted {
  /** Null when it was ended by its time limit or a signal. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs an interpreter on a text that it only reads. It gets no environment but the search path: no start-up file of anybody's runs.
 *
 * @returns undefined when it is not here
 * @throws XiheError CANCELLED
 */
export function runInterpreter(
  program: string,
  args: string[],
  input: string,
  signal?: AbortSignal,
): Promise<Interpreted | undefined> {
  return new Promise((resolve, reject) => {
    const env = {
      PATH: process.env.PATH ?? '',
      LC_ALL: 'C',
      ...(process.env.SYSTEMROOT && { SYSTEMROOT: process.env.SYSTEMROOT }),
    };
    const child = spawn(program, args, {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: LOOK_MS,
      killSignal: 'SIGKILL',
      ...(signal && { signal }),
    });
    const [out, err] = [collector(), collector()];
    child.stdout.on('data', out.add);
    child.stderr.on('data', err.add);
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', (e: NodeJS.ErrnoException) => {
      if (signal?.aborted) reject(new XiheError('CANCELLED', '已取消', { hint: '什么都没有发给服务器。', cause: e }));
      else resolve(undefined);
    });
    child.on('close', (code) => resolve({ code, stdout: out.text(), stderr: err.text() }));
  });
}

function collector() {
  const parts: Buffer[] = [];
  let bytes = 0;
  return {
    add(part: Buffer) {
      if (bytes < OUTPUT_BYTES) parts.push(part);
      bytes += part.length;
    },
    text: () => Buffer.concat(parts).toString('utf8'),
  };
}
