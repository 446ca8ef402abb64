import type { Commit } from '../../history/index.js';
import { hasChinese } from '../../text/index.js';
import type { Group } from './groups.js';
import { KIND_WEIGHT } from './groups.js';

/** A commit of more files is a release or a format run: its message is about none of them. */
const MAX_FILES = 30;
/** A file that more than this share of the commits touch (a locale file, a changelog) is about no word of theirs. */
const MAX_CHURN = 0.05;
const MIN_COMMITS_OF_CHURN = 20;
/** Commits that say the same add up to here. */
const MAX_VOTES = 3;

/** Where a word stands in the message of commits that changed the symbol's file, that is evidence too. */
export function addCommits(groups: readonly Group[], commits: readonly Commit[]): void {
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
  for (const group of groups) {
    const [symbol] = group.symbols;
    if (symbol === undefined) continue;
    const files = new Set(group.symbols.map(({ file }) => file));
    const votes = [...files]
      .flatMap((file) => byFile.get(file) ?? [])
      .filter(({ subject }) => subject.includes(group.word));
    const [first] = votes;
    if (first === undefined) continue;
    const count = Math.min(MAX_VOTES, new Set(votes).size);
    group.weight = 1 - (1 - group.weight) * (1 - KIND_WEIGHT.commit) ** count;
    group.evidence.push({
      file: symbol.file,
      line: symbol.line,
      kind: 'commit',
      text: `${first.hash.slice(0, 8)} ${first.subject.slice(0, 70)}`,
    });
  }
}
