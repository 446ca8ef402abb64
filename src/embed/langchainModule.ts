import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assetPath } from '../assets.js';
import { errnoOf, messageOf, XiheError } from '../errors.js';

/** What of LangChain's `Embeddings` is used. */
export interface LangChainEmbeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

type EmbeddingsClass = new (options: Record<string, unknown>) => LangChainEmbeddings;

/** A package and what is in it, never a path: settings come with the repository, code must be something that somebody installed. */
const PACKAGE = /^((?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)((?:\/[\w~-][\w.~-]*)*)$/;

/**
 * Finds a class in a package of the project, else in one that is installed beside Xihe, and loads it.
 *
 * @param root the project's folder, absolute
 * @throws XiheError CONFIG_INVALID for a name that is no package or a class that is not in it; EMBED_UNAVAILABLE with what to install
 */
export async function loadEmbeddingsClass(module: string, name: string, root: string): Promise<EmbeddingsClass> {
  const [, pkg, inside] = PACKAGE.exec(module) ?? [];
  if (pkg === undefined || inside === undefined)
    throw new XiheError('CONFIG_INVALID', `embedding.langchain.module 只能是 npm 包里的路径，现在是 ${module}`, {
      hint: '例如 @langchain/community/embeddings/alibaba_tongyi。',
      details: { key: 'embedding.langchain.module' },
    });
  const loaded = await load(module, locate(module, pkg, inside, root));
  const found = loaded[name] ?? (loaded.default as Record<string, unknown> | undefined)?.[name];
  if (typeof found === 'function') return found as EmbeddingsClass;
  const others = Object.keys(loaded).filter((key) => key.endsWith('Embeddings'));
  throw new XiheError('CONFIG_INVALID', `${module} 里没有 ${name}`, {
    hint:
      others.length === 0
        ? '检查 embedding.langchain 的 module 和 class。'
        : `里面有：${others.slice(0, 5).join('、')}。`,
    details: { key: 'embedding.langchain.class' },
  });
}

async function load(module: string, file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (e) {
    const missing = /Cannot find (?:package|module) '((?:@[^/']+\/)?[^/'.][^/']*)/.exec(messageOf(e))?.[1];
    if (missing !== undefined) throw notInstalled(missing, `${module} 需要 ${missing}，没有安装`, e);
    throw new XiheError('EMBED_UNAVAILABLE', `${module} 加载不了（${messageOf(e).split('\n')[0]}）`, {
      hint: '检查这个包的版本和它支持的 Node 版本。',
      cause: e,
    });
  }
}

function locate(module: string, pkg: string, inside: string, root: string): string {
  for (const from of [join(root, 'package.json'), assetPath('package.json')]) {
    const dir = packageFolder(pkg, dirname(from));
    const exported = dir === undefined ? undefined : exportOf(dir, `.${inside}`);
    if (exported !== undefined) return join(dir as string, exported);
    try {
      return createRequire(from).resolve(module);
    } catch (e) {
      if (errnoOf(e) === 'MODULE_NOT_FOUND' && dir === undefined) continue;
      throw new XiheError('CONFIG_INVALID', `${pkg} 里没有 ${module}`, {
        hint: '检查 embedding.langchain.module 和包的版本。',
        details: { key: 'embedding.langchain.module' },
        cause: e,
      });
    }
  }
  throw notInstalled(pkg, `找不到 ${pkg}`);
}

function packageFolder(pkg: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const dir = join(at, 'node_modules', pkg);
    if (existsSync(join(dir, 'package.json'))) return dir;
    if (dirname(at) === at) return undefined;
  }
}

/** What `import` takes, in the order of Node. */
const CONDITIONS = new Set(['node', 'import', 'module-sync', 'default']);

/** The file that `exports` gives for `import`: `require.resolve` does not find what has no `require`. */
function exportOf(dir: string, inside: string): string | undefined {
  const { exports } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { exports?: unknown };
  const table = isTable(exports) ? exports : { '.': exports };
  if (Object.hasOwn(table, inside)) return target(table[inside]);
  for (const [pattern, value] of Object.entries(table)) {
    const [before, after] = pattern.split('*');
    if (after === undefined || !inside.startsWith(before as string) || !inside.endsWith(after)) continue;
    const middle = inside.slice((before as string).length, inside.length - after.length);
    return target(value)?.replaceAll('*', middle);
  }
  return undefined;
}

function isTable(exports: unknown): exports is Record<string, unknown> {
  return typeof exports === 'object' && exports !== null && Object.keys(exports).some((key) => key.startsWith('.'));
}

function target(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(target).find((one) => one !== undefined);
  for (const [condition, inner] of Object.entries(value ?? {})) {
    const found = CONDITIONS.has(condition) ? target(inner) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function notInstalled(pkg: string, what: string, cause?: unknown): XiheError {
  // Its optional peers want another zod than Xihe's: npm refuses without this switch.
  const flag =
    pkg === '@langchain/community' ? ' --legacy-peer-deps（它的可选依赖和 zod 4 冲突，也可以用 overrides 解决）' : '';
  return new XiheError('EMBED_UNAVAILABLE', what, {
    hint: `在项目里运行 npm i ${pkg}${flag}。`,
    details: { package: pkg },
    cause,
  });
}
