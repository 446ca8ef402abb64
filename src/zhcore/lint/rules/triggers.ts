import { compilePattern, SlowPatternError, searchLines } from '../../../text/index.js';
import { globMatches } from '../../modules.js';
import type { LintModel } from '../model.js';
import type { Finding, LintEntry, Rule } from '../types.js';

const deadGlob: Rule = {
  id: 'XL304',
  name: 'glob-without-files',
  level: 'warning',
  title: '路径通配符一个文件也匹配不到',
  help: '目录改了名，或者写错了。警示的 when.paths 匹配不到就永远不触发；modules.yaml 的匹配不到，模块就没有这些文件。',
  check: (model) => {
    const { paths } = model.options;
    if (paths === undefined) return [];
    const dead = (glob: string) => !paths.some((path) => globMatches(path, glob) || `${path}/`.startsWith(`${glob}/`));
    return model.layers
      .filter(({ layer }) => layer === 'project')
      .flatMap((layer) => [
        ...layer.warnings.flatMap((entry) =>
          entry.entry.when.paths
            .filter(dead)
            .map((glob) =>
              model.at(deadGlob, entry, `${glob} 匹配不到仓库里的任何文件：这一条在这里不会触发`, { near: glob }),
            ),
        ),
        ...Object.entries(layer.modules).flatMap(([module, globs]) =>
          globs.filter(dead).map((glob) => inModules(model, `${layer.shown}modules.yaml`, module, glob)),
        ),
      ]);
  },
};

function inModules(model: LintModel, file: string, module: string, glob: string): Finding {
  const lines = model.linesOf(file);
  const from = Math.max(
    0,
    lines.findIndex((line) => line.startsWith(`${module}:`)),
  );
  const at = lines.findIndex((line, i) => i >= from && line.includes(glob));
  return {
    rule: deadGlob.id,
    level: deadGlob.level,
    layer: 'project',
    file,
    line: (at < 0 ? from : at) + 1,
    message: `模块 ${module} 的 ${glob} 匹配不到仓库里的任何文件`,
  };
}

const badPattern: Rule = {
  id: 'XL305',
  name: 'pattern-that-cannot-work',
  level: 'warning',
  title: '正则匹配不到单独一行、匹配每一行，或者慢得会被跳过',
  help: '正则一次只看新增的一行：不要写 \\n。能匹配空行的正则每一行都会报。嵌套的 * 和 + 会超时，超时的正则当次不检查。',
  check: (model) =>
    patternsOf(model).flatMap(({ entry, pattern }) => {
      const fault = patternFault(pattern);
      return fault === undefined ? [] : [model.at(badPattern, entry, `正则 ${pattern} ${fault}`, { near: pattern })];
    }),
};

function patternsOf({ layers }: LintModel): { entry: LintEntry; pattern: string }[] {
  return layers.flatMap(({ warnings, playbooks }) => [
    ...warnings.flatMap((entry) => entry.entry.when.added.map((pattern) => ({ entry, pattern }))),
    ...playbooks.flatMap((entry) =>
      entry.entry.post_checks.flatMap(({ pattern }) => (pattern === undefined ? [] : [{ entry, pattern }])),
    ),
  ]);
}

/** What is wrong with a pattern that compiles, in Chinese. */
function patternFault(source: string): string | undefined {
  const pattern = compilePattern(source);
  if (!(pattern instanceof RegExp)) return undefined;
  if (needsNewline(source)) return '要跨行才能匹配，而检查是一行一行做的：拆成只看一行的写法';
  if (PROBES.some((line) => isSlow(pattern, line))) return '在长行上太慢，会被跳过：写得更具体些，避免嵌套的 * 和 +';
  return pattern.test('') && pattern.test('x = 1;') ? '能匹配空内容，每一行都会报：去掉可有可无的写法' : undefined;
}

/** A line feed outside of brackets that must be there: not optional, and in no alternative. */
function needsNewline(source: string): boolean {
  const bare = source.replace(/\[(?:\\.|[^\]\\])*\]/g, '[]');
  return !bare.includes('|') && /(?:\n|(?<!\\)(?:\\\\)*\\[nr])(?![?*]|\{0)/.test(bare);
}

/** Long lines of one kind of character, with an end that most patterns don't expect: what backtracking is slow on. */
const PROBES: readonly string[] = ['a', 'A', '0', ' ', '_', '(', '"', '=', '中', 'aA0_ ', 'a.', 'a,'].map(
  (part) => `${part.repeat(Math.floor(1900 / part.length))}\u0001`,
);

function isSlow(pattern: RegExp, line: string): boolean {
  try {
    searchLines(pattern, [line]);
    return false;
  } catch (e) {
    if (e instanceof SlowPatternError) return true;
    throw e;
  }
}

const impossiblePath: Rule = {
  id: 'XL306',
  name: 'path-outside-project',
  level: 'error',
  title: '检查的路径在项目之外',
  help: 'required_checks 和 post_checks 的 path 要相对项目根目录写，不能是绝对路径，也不能用 .. 走出去。',
  check: (model) =>
    model.layers
      .flatMap(({ playbooks }) => playbooks)
      .flatMap((entry) =>
        [...entry.entry.required_checks, ...entry.entry.post_checks].flatMap(({ path }) =>
          path !== undefined && leavesRoot(path)
            ? [model.at(impossiblePath, entry, `${path} 在项目之外：写相对项目根目录的路径`, { near: path })]
            : [],
        ),
      ),
};

function leavesRoot(path: string): boolean {
  if (/^(?:[A-Za-z]:)?[\\/]|^~/.test(path)) return true;
  let depth = 0;
  for (const part of path.split(/[\\/]/)) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

export const triggerRules: readonly Rule[] = [deadGlob, badPattern, impossiblePath];
