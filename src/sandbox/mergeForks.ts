import { decodeText } from '../text/index.js';
import type { Encoding } from '../text/types.js';
import { diffFile } from './diff.js';
import { adoptFile, type ForkedFile, forkedFiles, hasAdopted, stagedVersion, type Version, versionOf } from './fork.js';
import { hasMarks, markedOnTop, mergeLines } from './mergeLines.js';

/** A fork that is to be merged. */
export interface Fork {
  /** ASCII; it stands in the marks of a conflict. */
  name: string;
  /** Of its changeset. */
  id: string;
}

/** What one fork did to a file about which they differ. */
export interface ConflictSide {
  name: string;
  id: string;
  /** Hash of its version; null where it deleted or moved the file. */
  after: string | null;
  /** Where it moved the file. */
  movedTo?: string;
  /** Lines that it added and took away. */
  lines: number;
}

/** Changes to one file that do not go together. Nothing of them is staged in the changeset into which was merged. */
export interface ForkConflict {
  path: string;
  /**
   * `text`: the same lines; `added`: two new files of one name; `deleted`, `moved`: somebody else changed it; `place`: a file where another
   * has a folder; `binary`: no text.
   */
  kind: 'text' | 'added' | 'deleted' | 'moved' | 'place' | 'binary';
  /** The file as it was before; hash. */
  before: string | null;
  sides: ConflictSide[];
  /** The file and where it was moved to: everything that waits for the decision. */
  paths: string[];
}

export interface ForksMerged {
  /** Files that were staged, sorted. */
  files: string[];
  conflicts: ForkConflict[];
}

/** A fork's change of one file. */
interface Change extends ForkedFile {
  fork: Fork;
}

/**
 * Merges what forks of a changeset staged back into it: files that only one of them touched, changes to different lines of one file, equal
 * changes once. What does not go together is left out whole and told; nobody's version wins because it came last.
 *
 * Safe to run again after a crash: each file is staged under a key.
 *
 * @param into id of the changeset that they began from
 * @param round names this merge among those into the same changeset
 */
export function mergeForks(stateDir: string, into: string, forks: readonly Fork[], round: string): ForksMerged {
  const changes = new Map<string, Change[]>();
  for (const fork of forks)
    for (const file of forkedFiles(stateDir, fork.id))
      changes.set(file.path, [...(changes.get(file.path) ?? []), { ...file, fork }]);
  const conflicts = new Map<string, ForkConflict>();
  for (const [path, all] of changes) {
    const kind = kindOf(stateDir, all);
    if (kind) conflicts.set(path, conflictOf(stateDir, path, kind, all));
  }
  for (const [path, other] of misplaced([...changes].filter(([, all]) => all.some(({ after }) => after !== null)))) {
    const known =
      conflicts.get(path) ?? conflictOf(stateDir, path, 'place', [...changes.get(path)!, ...changes.get(other)!]);
    conflicts.set(path, { ...known, paths: [...new Set([...known.paths, other])] });
  }
  // What waits for a decision waits whole: a new place without the old one's deletion would be a copy.
  const held = new Set([...conflicts.values()].flatMap(({ paths }) => paths));
  const files = [...changes.keys()].filter((path) => !held.has(path)).sort();
  for (const path of files) stageMerged(stateDir, into, path, changes.get(path)!, round);
  const own = [...conflicts.values()].filter(({ path, kind }) => kind === 'moved' || !isTargetOf(path, conflicts));
  return { files, conflicts: own.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** A new place that two moves lead to, or an edit of it, is told with the move. */
function isTargetOf(path: string, conflicts: ReadonlyMap<string, ForkConflict>): boolean {
  return [...conflicts.values()].some((one) => one.kind === 'moved' && one.path !== path && one.paths.includes(path));
}

/** Why changes of a file do not go together; undefined where they do. */
function kindOf(stateDir: string, all: readonly Change[]): ForkConflict['kind'] | undefined {
  const targets = new Set(all.map(({ movedTo }) => movedTo));
  const isSame = all.every(({ after }) => after === all[0]!.after);
  if (isSame && targets.size === 1) return undefined;
  if (all.some(({ movedTo }) => movedTo !== undefined)) return 'moved';
  if (isSame) return undefined;
  if (all.some(({ after }) => after === null)) return 'deleted';
  const encoding = encodingOf(stateDir, all[0]!);
  if (encoding === null) return 'binary';
  const { clean } = mergeLines(
    bytesOf(stateDir, all[0]!, 'before') ?? Buffer.alloc(0),
    sidesOf(stateDir, all),
    encoding,
  );
  if (clean) return undefined;
  return all[0]!.before === null ? 'added' : 'text';
}

function conflictOf(stateDir: string, path: string, kind: ForkConflict['kind'], all: readonly Change[]): ForkConflict {
  const targets = all.flatMap(({ movedTo }) => movedTo ?? []);
  return {
    path,
    kind,
    before: all[0]!.before,
    paths: [...new Set([path, ...targets])],
    sides: all.map((change) => ({
      name: change.fork.name,
      id: change.fork.id,
      after: change.after,
      ...(change.movedTo === undefined ? {} : { movedTo: change.movedTo }),
      lines: linesChanged(stateDir, change),
    })),
  };
}

function linesChanged(stateDir: string, change: Change): number {
  const [before, after] = [bytesOf(stateDir, change, 'before'), bytesOf(stateDir, change, 'after')];
  const diff = diffFile(change.path, before, after, change.base.encoding ?? undefined);
  return diff.addedLines.length + diff.removedLines.length;
}

/** Files whose name is a folder of another one, each with that other. */
function misplaced(changes: readonly [string, Change[]][]): [string, string][] {
  const names = new Set(changes.map(([path]) => path));
  return [...names].flatMap((path): [string, string][] => {
    const parts = path.split('/');
    const above = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
    const file = above.find((folder) => names.has(folder));
    return file === undefined ? [] : [[file, path]];
  });
}

/** Stages one file: edit by edit where they go together one by one, so that each line still leads to the call that wrote it. */
function stageMerged(stateDir: string, into: string, path: string, all: readonly Change[], round: string): void {
  const whole = `merge-${round}-${path}`;
  if (hasAdopted(stateDir, into, whole)) return;
  const [first] = all;
  const stage = (bytes: Uint8Array | null, key: string) =>
    adoptFile(stateDir, into, { path, bytes, base: first!.base, from: first!.fork.id, key });
  const encoding = encodingOf(stateDir, first!);
  let now = bytesOf(stateDir, first!, 'before');
  for (const { fork, before, steps } of all) {
    let was = versionOf(stateDir, fork.id, before);
    for (const [i, step] of steps.entries()) {
      const next = versionOf(stateDir, fork.id, step.after);
      const merged = stepOn(now, was, next, encoding);
      if (merged === undefined) continue;
      [now, was] = [merged, next];
      stage(now, `${fork.name}/${step.key ?? `${round}-${path}-${i}`}`);
    }
  }
  // Equal changes, and edits that go together only as a whole, leave the steps short of the end.
  stage(mergedBytes(stateDir, all, encoding), whole);
}

/** An edit that led from one version to the next, done to another one; undefined where it does not fit there. */
function stepOn(
  now: Uint8Array | null,
  was: Uint8Array | null,
  next: Uint8Array | null,
  encoding: Encoding | null,
): Uint8Array | null | undefined {
  if (isEqual(now, was)) return next;
  if (now === null || was === null || next === null || encoding === null) return undefined;
  const { clean, bytes } = mergeLines(
    was,
    [
      { name: 'now', bytes: now },
      { name: 'next', bytes: next },
    ],
    encoding,
  );
  return clean ? bytes : undefined;
}

function mergedBytes(stateDir: string, all: readonly Change[], encoding: Encoding | null): Uint8Array | null {
  const [first] = all;
  const last = bytesOf(stateDir, first!, 'after');
  if (all.length === 1 || last === null || all.every(({ after }) => after === first!.after) || encoding === null)
    return last;
  return mergeLines(bytesOf(stateDir, first!, 'before') ?? Buffer.alloc(0), sidesOf(stateDir, all), encoding).bytes;
}

/**
 * A conflict as a file to be worked on: versions of the same lines between marks, and a marked line on top where it is about the file as a
 * whole. Undefined where it is no text.
 *
 * @returns the versions by path
 */
export function conflictFiles(stateDir: string, conflict: ForkConflict): Map<string, Version> | undefined {
  if (conflict.kind === 'binary' || conflict.kind === 'place') return undefined;
  const { path, kind, sides } = conflict;
  const all = sides.flatMap(({ name, id }) => {
    const file = forkedFiles(stateDir, id).find((one) => one.path === path);
    return file ? [{ ...file, fork: { name, id } }] : [];
  });
  const first = all[0];
  const encoding = first && encodingOf(stateDir, first);
  if (!first || !encoding) return undefined;
  // A moved file's text lies where it was moved to.
  const texts = all.flatMap(({ fork, after, movedTo }) => {
    const moved =
      movedTo === undefined ? undefined : forkedFiles(stateDir, fork.id).find((one) => one.path === movedTo);
    const bytes = versionOf(stateDir, fork.id, moved ? moved.after : after);
    return bytes ? [{ name: fork.name, bytes }] : [];
  });
  const before = bytesOf(stateDir, first, 'before') ?? Buffer.alloc(0);
  const { bytes } = texts.length === 0 ? { bytes: before } : mergeLines(before, texts, encoding);
  const marked = kind === 'deleted' || kind === 'moved' ? markedOnTop(bytes, kind, encoding) : bytes;
  return new Map([[path, { bytes: marked, base: first.base, from: first.fork.id }]]);
}

/**
 * Stages what a fork made of the conflicts that it was given. A conflict is solved when its file is no longer what was given, and no mark is
 * left in it. Other files that it changed on the way are taken where they go together with what is staged.
 *
 * @param round as for {@link mergeForks}
 * @returns the conflicts that remain, and files whose changes were left out
 */
export function takeSolutions(
  stateDir: string,
  into: string,
  fork: Fork,
  conflicts: readonly ForkConflict[],
  round: string,
): { open: ForkConflict[]; leftOut: string[] } {
  const files = forkedFiles(stateDir, fork.id);
  const marked = new Set(files.filter((file) => isMarked(stateDir, fork.id, file)).map(({ path }) => path));
  const given = new Map(conflicts.map((one) => [one.path, one]));
  const solved = new Set(
    files.flatMap(({ path }) =>
      given.has(path) && !given.get(path)!.paths.some((one) => marked.has(one)) ? [path] : [],
    ),
  );
  const open = conflicts.filter(({ path }) => !solved.has(path));
  const held = new Set(open.flatMap(({ paths }) => paths));
  const leftOut: string[] = [];
  for (const file of files) {
    if (held.has(file.path) || marked.has(file.path)) continue;
    const key = `${fork.name}/${file.steps.at(-1)?.key ?? `${round}-${file.path}`}`;
    const bytes = solved.has(file.path)
      ? versionOf(stateDir, fork.id, file.after)
      : onStaged(stateDir, into, fork, file);
    if (bytes === undefined) leftOut.push(file.path);
    else adoptFile(stateDir, into, { path: file.path, bytes, base: file.base, from: fork.id, key });
  }
  return { open, leftOut };
}

function isMarked(stateDir: string, id: string, { after, base }: ForkedFile): boolean {
  const bytes = versionOf(stateDir, id, after);
  if (bytes === null) return false;
  try {
    return hasMarks(decodeText(bytes, base.encoding ?? undefined).text);
  } catch {
    // No text, so nothing that we marked.
    return false;
  }
}

/** A fork's version of a file together with what was staged since the fork began; undefined where they don't go together. */
function onStaged(stateDir: string, into: string, fork: Fork, file: ForkedFile): Uint8Array | null | undefined {
  const staged = stagedVersion(stateDir, into, file.path);
  const hash = staged === undefined ? file.base.hash : staged.after;
  const next = versionOf(stateDir, fork.id, file.after);
  if (hash === file.before || hash === file.after) return next;
  const was = versionOf(stateDir, fork.id, file.before);
  return stepOn(versionOf(stateDir, into, hash), was, next, file.base.encoding);
}

function sidesOf(stateDir: string, all: readonly Change[]) {
  return all.map((change) => ({ name: change.fork.name, bytes: bytesOf(stateDir, change, 'after')! }));
}

function bytesOf(stateDir: string, change: Change, which: 'before' | 'after'): Uint8Array | null {
  return versionOf(stateDir, change.fork.id, change[which]);
}

/** Of the file as it was; of a new one, of the first version. Null for what is no text. */
function encodingOf(stateDir: string, change: Change): Encoding | null {
  if (change.base.encoding !== null) return change.base.encoding;
  const bytes = bytesOf(stateDir, change, 'before') ?? bytesOf(stateDir, change, 'after');
  try {
    return bytes === null ? null : decodeText(bytes).encoding;
  } catch {
    return null;
  }
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}
