import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptNeed } from './script.js';
import { fileNeed } from './shellNeeds.js';
import { runInterpreter } from './syntax.js';

/**
 * Lists what a script imports, by Python's own parser: nothing of the script runs. Imports inside `try` are left out (the script copes
 * without them); what belongs to Python is told apart by Python itself, and whether a package is installed here too.
 */
const IMPORTS = `
import sys, ast, json, importlib.util as u
tree = ast.parse(sys.stdin.buffer.read())
own = getattr(sys, 'stdlib_module_names', None) or set(sys.builtin_module_names)
tried = {id(n) for t in ast.walk(tree) if isinstance(t, ast.Try) for n in ast.walk(t)}
found, files = {}, {}
for n in ast.walk(tree):
    if id(n) in tried: continue
    names = []
    if isinstance(n, ast.Import): names = [a.name for a in n.names]
    elif isinstance(n, ast.ImportFrom) and n.level == 0 and n.module: names = [n.module]
    elif isinstance(n, ast.Call) and getattr(n.func, 'id', '') == 'open' and n.args and isinstance(n.args[0], ast.Constant):
        mode = n.args[1] if len(n.args) > 1 else next((k.value for k in n.keywords if k.arg == 'mode'), None)
        reads = mode is None or (isinstance(mode, ast.Constant) and str(mode.value).startswith('r'))
        if reads and isinstance(n.args[0].value, str): files.setdefault(n.args[0].value, n.lineno)
    for name in names:
        top = name.split('.')[0]
        if top not in own and top not in found:
            try: here = u.find_spec(top) is not None
            except Exception: here = False
            found[top] = [n.lineno, here]
print(json.dumps({'modules': found, 'files': files}))
`;

/**
 * What a Python script needs besides itself; [] where there is no Python 3 to ask.
 *
 * @param dir the script's folder, absolute
 * @param root the project's root, absolute
 * @throws XiheError CANCELLED
 */
export async function pythonNeeds(
  text: string,
  dir: string,
  root: string,
  signal?: AbortSignal,
): Promise<ScriptNeed[]> {
  const run = await runInterpreter('python3', ['-I', '-c', IMPORTS], text, signal);
  if (run?.code !== 0) return [];
  const { modules, files } = JSON.parse(run.stdout) as {
    modules: Record<string, [line: number, here: boolean]>;
    files: Record<string, number>;
  };
  const imports = Object.entries(modules).flatMap(([name, [line, here]]): ScriptNeed[] => {
    const isOwn = [dir, root].some(
      (base) => existsSync(join(base, `${name}.py`)) || existsSync(join(base, name, '__init__.py')),
    );
    if (isOwn) return [{ kind: 'module', name, line, why: '模块在项目里，但 worker 只拿到这一个脚本，不会有它' }];
    return here ? [] : [{ kind: 'module', name, line, why: '这台机器上没有装这个模块' }];
  });
  const read = Object.entries(files).flatMap(([name, line]): ScriptNeed[] => {
    const need = fileNeed(name, dir, root);
    return need ? [{ ...need, line }] : [];
  });
  return [...imports, ...read];
}
