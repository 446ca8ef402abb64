import { fold, splitIdentifier } from '../text/index.js';

/**
 * Words of a request that say "change it" or "please", not where. They are taken out of requests only: a file or commit
 * keeps them, because a request may name a 修复 button.
 */
const REQUEST_WORDS = `
修复 修正 修改 更改 改成 改为 新增 增加 添加 加上 加个 支持 优化 调整 解决 删除 删掉 移除 去掉 去除 实现
完善 处理 更新 补充 改进 改造 重构 问题 错误 异常 失败 报错 导致 时候 可能 无法 不能 没有 没法 功能 逻辑
方法 代码 相关 部分 情况 进行 使用 一个 一次 一下 以及 或者 如果 需要 希望 出现 存在 不了 其他 可以 已经
之后 之前 现在 这个 那个 什么 怎么 如何 为什么 哪里 在哪 帮我 麻烦 请问 找到 查找 定位 的 了(?!解) 吗
呢
`
  .trim()
  .split(/\s+/);
const REQUEST_PATTERN = new RegExp([...REQUEST_WORDS].sort((a, b) => b.length - a.length).join('|'), 'g');
/** English fillers of commit subjects and requests, same reason. */
const REQUEST_IDENTIFIERS = new Set([
  'bug',
  'bugs',
  'fix',
  'fixes',
  'fixed',
  'add',
  'update',
  'feat',
  'the',
  'to',
  'and',
  'of',
  'in',
  'for',
  'please',
]);

const RUN = /[A-Za-z_$][A-Za-z0-9_$]*|[\u3400-\u9FFF\uF900-\uFAFF]+/g;
const CHINESE_RUN = /[\u3400-\u9FFF\uF900-\uFAFF]+/g;
const NON_ASCII = /[^\u0000-\u007F]/;
/** Identifiers and Chinese runs repeat thousands of times in a repository; treating each once halves the time to index it. */
const MAX_MEMO = 200_000;
const memo = new Map<string, readonly string[]>();

/**
 * The parts of an identifier in lower case, plural s dropped, and the whole of it: `OrderItems` → order, item,
 * orderitems. Parts of one letter are left out.
 */
export function identifierTokens(identifier: string): readonly string[] {
  const known = memo.get(identifier);
  if (known) return known;
  const whole = identifier.replace(/^[_$]+|[_$]+$/g, '').toLowerCase();
  const parts = splitIdentifier(identifier).filter((part) => part.length > 1);
  const tokens = parts.map(dropPlural);
  if (whole.length > 1 && (parts.length !== 1 || parts[0] !== whole)) tokens.push(whole);
  if (memo.size > MAX_MEMO) memo.clear();
  memo.set(identifier, tokens);
  return tokens;
}

function dropPlural(word: string): string {
  return word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/**
 * Cuts text as the evidence of a repository is compared: identifier parts and whole identifiers in lower case, Chinese
 * runs (folded to simplified characters and mainland words) into bigrams, a lone character by itself. Without a dictionary,
 * because bigrams find files as well as jieba does and need no 0.2 s to load.
 *
 * @param visit called with each token in order, repeats included
 */
export function eachToken(text: string, visit: (token: string) => void): void {
  const folded = foldKeepingCase(text);
  RUN.lastIndex = 0;
  for (let match = RUN.exec(folded); match !== null; match = RUN.exec(folded)) {
    const run = match[0];
    if (run.charCodeAt(0) < 0x80) for (const token of identifierTokens(run)) visit(token);
    else if (run.length === 1) visit(run);
    else for (let i = 0; i + 1 < run.length; i++) visit(run.slice(i, i + 2));
  }
}

/** The tokens of {@link eachToken} as a list. */
export function evidenceTokens(text: string): string[] {
  const out: string[] = [];
  eachToken(text, (token) => out.push(token));
  return out;
}

/** As {@link evidenceTokens}, each token once, words that only ask for a change left out; nothing is left out when nothing would remain. */
export function requestTokens(request: string): string[] {
  const folded = foldKeepingCase(request);
  const content = folded.replace(REQUEST_PATTERN, ' ');
  const tokens = evidenceTokens(content).filter((token) => !REQUEST_IDENTIFIERS.has(token));
  return [...new Set(tokens.length > 0 ? tokens : evidenceTokens(folded))];
}

/**
 * Simplified characters and mainland words, half-width letters; case kept, because humps cut identifiers. Run by run, since
 * folding costs some 10 µs a run and code is mostly ASCII; the same runs come again in comments, strings and whole texts.
 */
function foldKeepingCase(text: string): string {
  return NON_ASCII.test(text) ? text.normalize('NFKC').replace(CHINESE_RUN, foldRun) : text;
}

const foldedRuns = new Map<string, string>();

function foldRun(run: string): string {
  let folded = foldedRuns.get(run);
  if (folded === undefined) {
    folded = fold(run);
    if (foldedRuns.size > MAX_MEMO) foldedRuns.clear();
    foldedRuns.set(run, folded);
  }
  return folded;
}
