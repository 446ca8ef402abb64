import type { StoredCommit } from './types.js';

/** Characters of a body that are kept: the first lines carry the reasons, the rest is trailers and change lists. */
const MAX_BODY_CHARS = 1_000;

/** The fields of one commit, each closed by NUL; names and statuses follow, closed by NUL too (`-z`). */
export const LOG_FORMAT = '%H%x00%P%x00%ct%x00%an%x00%s%x00%b%x00';
const HEADER_FIELDS = 6;

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const STATUS = /^[A-Z]\d*$/;
const NUL = 0;
const BAD = '\uFFFD';

/**
 * Reads the output of `git log -z --name-status --format=LOG_FORMAT`.
 *
 * Every part is closed by NUL, which neither a message nor a name can hold, so nothing in them is ever taken for a
 * commit: a status is one capital letter with digits, a header starts with 40 (SHA-256: 64) hex digits.
 *
 * @param shallow in a shallow clone a commit without parents is the cut, not a beginning: its files say nothing
 * @returns commits in the order of the log
 */
export function parseLog(output: Buffer, shallow: boolean): StoredCommit[] {
  const parts = splitAtNul(output);
  const commits: StoredCommit[] = [];
  let current: StoredCommit | undefined;
  let cut = false;
  for (let i = 0; i < parts.length; ) {
    const part = textOf(parts[i]!).trimStart();
    if (HASH.test(part)) {
      const parents = textOf(parts[i + 1] ?? parts[i]!);
      current = headerAt(parts, i, part);
      cut = shallow && parents === '';
      commits.push(current);
      i += HEADER_FIELDS;
    } else if (current !== undefined && STATUS.test(part)) {
      const twoNames = part.startsWith('R') || part.startsWith('C');
      if (!cut) addFile(current, part, parts[i + 1], twoNames ? parts[i + 2] : undefined);
      i += twoNames ? 3 : 2;
    } else i += 1;
  }
  return commits;
}

function headerAt(parts: Buffer[], i: number, hash: string): StoredCommit {
  const field = (n: number) => textOf(parts[i + n] ?? Buffer.alloc(0));
  return {
    hash,
    time: Number(field(2)) || 0,
    author: field(3),
    subject: field(4).trim(),
    body: field(5).trim().slice(0, MAX_BODY_CHARS),
    files: [],
  };
}

function addFile(commit: StoredCommit, status: string, first: Buffer | undefined, second: Buffer | undefined): void {
  if (first === undefined) return;
  if (second === undefined) {
    commit.files.push(textOf(first));
    return;
  }
  const from = textOf(first);
  const to = textOf(second);
  commit.files.push(to);
  if (!status.startsWith('R')) return;
  commit.renames ??= [];
  commit.renames.push([from, to]);
}

function splitAtNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (;;) {
    const end = output.indexOf(NUL, start);
    if (end < 0) break;
    parts.push(output.subarray(start, end));
    start = end + 1;
  }
  if (start < output.length) parts.push(output.subarray(start));
  return parts;
}

/** Old Chinese repositories hold GBK messages that do not say so; what is no UTF-8 is read as GB18030. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes(BAD) ? new TextDecoder('gb18030').decode(bytes) : text;
}
