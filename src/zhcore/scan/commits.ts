import type { Commit } from '../../history/index.js';
import { hasChinese, segment } from '../../text/index.js';
import { type Group, KIND_WEIGHT, type TypeIndex } from './groups.js';
import { isTermLike } from './phrase.js';
import type { Mention } from './types.js';

/** A commit of more files is a release or a format run: its message is about none of them. */
const MAX_FILES = 30;
/** A file that more than this share of the commits touch (a locale file, a changelog) is about no word of theirs. */
const MAX_CHURN = 0.05;
const MIN_COMMITS_OF_CHURN = 20;
/** Commits that say the same add up to here. */
const MAX_VOTES = 3;

/** Few enough files that each may be what the message is about. */
const MAX_FILES_OF_WORD = 8;
/** A word in fewer messages than this may be chance. */
const MIN_MESSAGES = 3;
/** A word in more than this share of the messages (优化, 修复) is about the work, not about a thing. */
const MAX_MESSAGES = 0.02;
const MIN_MAX_MESSAGES = 12;
/** This share of a word's commits must have changed the file, and this many times more than any commit does. */
const MIN_SHARE = 0.6;
const MIN_LIFT = 8;
/** Words of work in messages; what they are part of names no thing. */
const WORK =
  /优化|修复|修改|更新|升级|新增|添加|增加|删除|移除|支持|完善|调整|解决|问题|处理|重构|提交|代码|版本|合并|改为|兼容|默认|错误|异常|功能|样式|文件|修正|忽略|依赖|最新|部分|相关|导致|显示|使用/;

/** The commits whose message is Chinese and about few files, by file; files that every commit touches are left out. */
function commitsByFile(commits: readonly Commit[]): Map<string, Commit[]> {
  const byFile = new Map<string, Commit[]>();
  for (const commit of commits) {
    if (commit.files.length > MAX_FILES || !hasChinese(commit.subject)) continue;
    for (const file of commit.files) {
      const list = byFile.get(file);
      if (list === undefined) byFile.set(file, [commit]);
      else list.push(commit);
    }
  }
  const busy = Math.max(MIN_COMMITS_OF_CHURN, commits.length * MAX_CHURN);
  for (const [file, list] of byFile) if (list.length > busy) byFile.delete(file);
  return byFile;
}

/** Where a word stands in the message of commits that changed the symbol's file, that is evidence too. */
export function addCommits(groups: readonly Group[], commits: readonly Commit[]): void {
  const byFile = commitsByFile(commits);
  for (const group of groups) {
    const [symbol] = group.symbols;
    if (symbol === undefined) continue;
    const files = new Set(group.symbols.map(({ file }) => file));
    const votes = [...files]
      .flatMap((file) => byFile.get(file) ?? [])
      .filter(({ subject }) => subject.includes(group.word));
    const [first] = votes;
    if (first === undefined) continue;
    // Two characters stand in many messages by chance.
    const count = Math.min(group.word.length <= 2 ? 1 : MAX_VOTES, new Set(votes).size);
    group.weight = 1 - (1 - group.weight) * (1 - KIND_WEIGHT.commit) ** count;
    if (!group.evidence.some(({ kind }) => kind === 'commit'))
      group.evidence.push(quote(first, symbol.file, symbol.line));
  }
}

function quote(commit: Commit, file: string, line: number): Mention['evidence'] {
  return { file, line, kind: 'commit', text: `${commit.hash.slice(0, 8)} ${commit.subject.slice(0, 70)}` };
}

/**
 * Words that only messages say: where most commits that name a word changed one file, and few others did, the word goes with the
 * class that the file defines.
 */
export function wordsOfCommits(commits: readonly Commit[], types: TypeIndex): Mention[] {
  const telling = commits.filter(
    ({ files, subject }) => files.length > 0 && files.length <= MAX_FILES_OF_WORD && hasChinese(subject),
  );
  const byWord = new Map<string, Set<Commit>>();
  for (const commit of telling) {
    for (const word of wordsOf(commit.subject)) byWord.set(word, (byWord.get(word) ?? new Set()).add(commit));
  }
  const churn = new Map<string, number>();
  for (const { files } of telling) for (const file of files) churn.set(file, (churn.get(file) ?? 0) + 1);
  const most = Math.max(MIN_MAX_MESSAGES, telling.length * MAX_MESSAGES);
  const mentions: Mention[] = [];
  // Longest first: of 在线, 用户 and 在线用户 in the same messages the whole is the word.
  for (const [word, found] of [...byWord].sort((a, b) => b[0].length - a[0].length)) {
    if (found.size < MIN_MESSAGES || found.size > most) continue;
    const [file, share] = favourite([...found]);
    const lift = share / ((churn.get(file) ?? 1) / telling.length);
    const symbol = share >= MIN_SHARE && lift >= MIN_LIFT ? types.mainOf(file) : undefined;
    const first = [...found].find(({ files }) => files.includes(file));
    if (symbol === undefined || first === undefined) continue;
    if (mentions.some((longer) => longer.symbol === symbol && longer.word.includes(word))) continue;
    mentions.push({ word, symbol, weak: false, evidence: quote(first, file, symbol.line) });
  }
  return mentions;
}

/** The file that most of these commits changed, and what share of them did. */
function favourite(commits: readonly Commit[]): [string, number] {
  const counts = new Map<string, number>();
  for (const { files } of commits) for (const file of files) counts.set(file, (counts.get(file) ?? 0) + 1);
  const [file, count] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? ['', 0];
  return [file, count / commits.length];
}

/** Words of a message, and neighbouring ones joined: 在线 and 用户 stand for 在线用户. */
function wordsOf(subject: string): Set<string> {
  const words = new Set<string>();
  for (const [run] of subject.matchAll(/\p{Script=Han}{2,}/gu)) {
    const cut = longestCut(run);
    for (let i = 0; i < cut.length; i++) {
      const [word, next] = [cut[i]!, cut[i + 1] ?? ''];
      if (word.length < 2) continue;
      for (const term of next.length < 2 ? [word] : [word, word + next]) {
        if (term.length <= 6 && !WORK.test(term) && isTermLike(term)) words.add(term);
      }
    }
  }
  return words;
}

/** The cutter gives long words and their parts; here each stretch of the text belongs to one word only. */
function longestCut(run: string): string[] {
  const known = new Set(segment(run));
  const out: string[] = [];
  for (let at = 0; at < run.length; ) {
    let length = Math.min(6, run.length - at);
    while (length > 1 && !known.has(run.slice(at, at + length))) length--;
    out.push(run.slice(at, at + length));
    at += length;
  }
  return out;
}
