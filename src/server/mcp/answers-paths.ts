import type { PathContext } from '../../paths/index.js';
import { stableHash, truncateToTokens } from '../../text/index.js';
import type { expandPath, loadContext, lookupFile } from '../../tools/builtin/path-tools.js';
import { withNote } from '../../tools/locate.js';
import { VERSION_DIGITS } from './answers-core.js';
import type { Answer, Part } from './fit.js';

type Loaded = Awaited<ReturnType<typeof loadContext.run>>;
type Expanded = Awaited<ReturnType<typeof expandPath.run>>;
type Found = Awaited<ReturnType<typeof lookupFile.run>>;

/** How sure it is that what was read from the tree is so. */
const READ_NOW = 1;
/** What stands beside the text of a path: its version, source and symbols. Tokens. */
const BESIDE = 120;

/** The map, and what was used lately. */
export function answerOfContext(loaded: Loaded, focus: string | undefined, dataVersion: string): Answer {
  const { text, skeleton, note } = loaded;
  const of = (tree: string): Part => ({
    list: 'trees',
    text: withNote(note, tree),
    data: {
      path: focus ?? '.',
      tree,
      ...(skeleton ? { shown: skeleton.nodes, hidden_files: skeleton.omitted } : {}),
      source: `repo://${focus ?? '.'}`,
      version: short(stableHash(text)),
      confidence: READ_NOW,
    },
  });
  return {
    data: { data_version: dataVersion, ...(note ? { note } : {}) },
    lists: [{ name: 'trees', called: '骨架' }],
    parts: [{ ...of(text), shorten: (tokens) => of(firstLines(text, tokens - BESIDE)) }],
    none: '项目里没有文件。',
    more: '用 focus 只看一个目录',
  };
}

/** One folder or file. */
export function answerOfExpansion({ expansion, text }: Expanded, dataVersion: string, paths: PathContext): Answer {
  const { path, symbols, note } = expansion;
  const of = (shown: string): Part => ({
    list: 'paths',
    text: shown,
    data: {
      path,
      text: shown,
      ...(symbols?.length ? { symbols } : {}),
      source: `repo://${path}`,
      version: short(paths.version(path) ?? stableHash(expansion.text)),
      confidence: READ_NOW,
    },
  });
  return {
    data: { data_version: dataVersion, ...(note ? { note } : {}) },
    lists: [{ name: 'paths', called: '路径' }],
    parts: [{ ...of(text), shorten: (tokens) => of(firstLines(text, tokens - BESIDE)) }],
    none: '',
    more: '展开它下面的一个子目录',
  };
}

/** Candidates, each with why. */
export function answerOfFiles(found: Found, dataVersion: string, paths: PathContext): Answer {
  const { candidates, method, note } = found;
  const best = candidates[0]?.score ?? 1;
  return {
    data: { data_version: dataVersion, method, ...(note ? { note } : {}) },
    ...(note ? { before: [`注意：${note}`] } : {}),
    lists: [{ name: 'files', called: '文件' }],
    parts: candidates.map(({ path, summary, why, score }, i): Part => {
      const version = short(paths.version(path) ?? '');
      const confidence = Number(Math.min(1, score / best).toFixed(2));
      return {
        list: 'files',
        text: `${i + 1}. ${path}：${summary}（${why}）〔${version || '未读'} · ${confidence}〕`,
        data: { path, summary, why, version, confidence },
      };
    }),
    none: '没有找到。换个说法，或用你自己的搜索工具搜代码里的词。',
    more: '用 scope 缩小目录，或调大 max_tokens（最多 4000）',
  };
}

/** The first lines of a text that fit. */
function firstLines(text: string, tokens: number): string {
  const { text: begun, truncated } = truncateToTokens(text, Math.max(0, tokens));
  return truncated ? `${begun.slice(0, Math.max(0, begun.lastIndexOf('\n')))}\n…（后面的没写出来）` : text;
}

function short(version: string): string {
  return version.slice(0, VERSION_DIGITS);
}
