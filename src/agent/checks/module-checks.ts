import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import { languageOf, outline } from '../../code/index.js';
import type { PathContext } from '../../paths/index.js';
import type { Changeset, FileDiff } from '../../sandbox/index.js';
import type { Finding } from '../state.js';

/** What the language judges: an import on an added line. */
interface Import {
  path: string;
  source: string;
  line: number;
}

/** What npm takes as a package's name (its documentation), with or without a scope; aliases such as `@/x`, `~/x`, `#x` are none. */
const PACKAGE = /^(?:@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*(?=\/|$)/;
/** Modules that a build makes and nobody commits. */
const GENERATED = /(^|[./_])(generated|gen|_pb2|pb|mock|mocks)([./_]|$)|_pb2/i;

/**
 * Imports on added lines that name a package or module which the project does not have: npm packages that are neither declared nor
 * installed, modules of the project's own Python and Go packages, classes of its own Java packages. Silent where it is not certain.
 */
export async function moduleFindings(
  changeset: Changeset,
  diffs: FileDiff[],
  root: string,
  paths: PathContext,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const all = [...new Set([...paths.files, ...diffs.map((d) => d.path)])].filter((path) => changeset.exists(path));
  for (const diff of diffs.filter((d) => d.change !== 'deleted' && d.addedLines.length > 0)) {
    const judge = JUDGES[languageOf(diff.path)];
    if (judge === undefined) continue;
    const added = new Set(diff.addedLines.map((l) => l.line));
    const { imports } = await outline(diff.path, changeset.read(diff.path).text);
    for (const { source, line } of imports) {
      if (!added.has(line) || GENERATED.test(source)) continue;
      const found = await judge({ path: diff.path, source, line }, { changeset, root, paths, files: all });
      if (found) findings.push({ from: 'path', path: diff.path, line, ...found });
    }
  }
  return findings;
}

interface Ground {
  changeset: Changeset;
  root: string;
  paths: PathContext;
  /** Every file that there is after the change. */
  files: string[];
}
type Judgement = Pick<Finding, 'severity' | 'text'> | undefined;
type Judge = (ref: Import, ground: Ground) => Judgement | Promise<Judgement>;

const JUDGES: Record<string, Judge> = {
  typescript: npmPackage,
  tsx: npmPackage,
  javascript: npmPackage,
  vue: npmPackage,
  python: pythonModule,
  go: goPackage,
  java: javaClass,
};

function npmPackage({ path, source }: Import, { changeset, root }: Ground): Judgement {
  const name = PACKAGE.exec(source)?.[0];
  if (name === undefined || source.includes(':') || builtinModules.includes(source.split('/')[0]!)) return undefined;
  let hasManifest = false;
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const at = join(root, folder);
    if (existsSync(join(at, 'node_modules', name)) || existsSync(join(at, 'node_modules/@types', name)))
      return undefined;
    // `src/x` by `baseUrl`: a folder of the project, not a package.
    if (existsSync(join(at, name.split('/')[0]!))) return undefined;
    const manifest = textIn(changeset, posix.join(folder, 'package.json'));
    hasManifest ||= manifest !== '';
    if (manifest.includes(`"${name}"`) || manifest.includes(`"@types/${name}"`)) return undefined;
    for (const settings of ['tsconfig.json', 'tsconfig.base.json', 'jsconfig.json', 'vite.config.ts', 'vite.config.js'])
      if (textIn(changeset, posix.join(folder, settings)).includes(name.split('/')[0]!)) return undefined;
    if (folder === '.') break;
  }
  return hasManifest
    ? {
        severity: 'block',
        text: `引入了没有声明、也没有安装的包：${name}。换成已有的包，或在 package.json 里声明并说明`,
      }
    : undefined;
}

function textIn(changeset: Changeset, path: string): string {
  try {
    return changeset.exists(path) ? changeset.read(path).text : '';
  } catch {
    return '';
  }
}

function pythonModule({ path, source }: Import, { files }: Ground): Judgement {
  const dots = /^\.*/.exec(source)![0].length;
  const rest = source.slice(dots).split('.').filter(Boolean);
  if (rest.length === 0) return undefined;
  let bases = ['', 'src/'];
  if (dots > 0) {
    let folder = posix.dirname(path);
    for (let i = 1; i < dots; i++) folder = posix.dirname(folder);
    bases = [folder === '.' ? '' : `${folder}/`];
  }
  const python = files.filter((file) => file.endsWith('.py'));
  const own = bases.filter((base) => dots > 0 || python.some((file) => file.startsWith(`${base}${rest[0]}/`)));
  if (own.length === 0 || (dots === 0 && rest.length === 1)) return undefined;
  const isThere = own.some((base) => {
    const at = base + rest.join('/');
    return files.some(
      (file) => file.startsWith(`${at}/`) || file === `${at}.py` || file === `${at}.pyi` || file === `${at}.so`,
    );
  });
  return isThere ? undefined : { severity: 'block', text: `引入的模块不存在：${source}` };
}

function goPackage({ path, source }: Import, { changeset, files }: Ground): Judgement {
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const module = /^module\s+(\S+)/m.exec(textIn(changeset, posix.join(folder, 'go.mod')))?.[1];
    if (module !== undefined) {
      if (!source.startsWith(`${module}/`)) return undefined;
      const at = posix.join(folder, source.slice(module.length + 1));
      const isThere = files.some((file) => posix.dirname(file) === at && file.endsWith('.go'));
      return isThere ? undefined : { severity: 'block', text: `引入的包不存在：${source}` };
    }
    if (folder === '.') return undefined;
  }
}

/** A class of one of the project's own packages that is defined nowhere; it may be one that a build makes, so nobody is stopped. */
async function javaClass({ source }: Import, { files, paths, changeset }: Ground): Promise<Judgement> {
  const words = source.replace(/^static\s+/, '').split('.');
  const at = words.findIndex((word) => /^[A-Z]/.test(word));
  if (at < 1) return undefined;
  const folder = `/${words.slice(0, at).join('/')}/`;
  const name = words[at]!;
  const siblings = files.filter((file) => `/${posix.dirname(file)}/`.endsWith(folder));
  if (siblings.length === 0 || siblings.some((file) => posix.basename(file).replace(/\.\w+$/, '') === name))
    return undefined;
  if ((await paths.findSymbol(name)).some((place) => changeset.exists(place.path))) return undefined;
  return { severity: 'warn', text: `项目的包里没有找到这个类：${source}` };
}
