import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { XiheError } from '../errors.js';
import { stateBytes } from '../stateFile.js';
import { applyTextEdits, decodeText, encodeText, MAX_TEXT_BYTES, readFileText } from '../text/index.js';
import type { Encoding, FileText } from '../text/types.js';
import { applyFiles, isApplied } from './apply.js';
import { folderName, newId } from './changesetName.js';
import { diffFile } from './diff.js';
import { faultPoint, hashOf, inState, replaceFile } from './durable.js';
import { appendJournal, type JournalEntry, journalBytes, readJournal } from './journal.js';
import { type Location, locate } from './location.js';
import { withFileLock } from './lock.js';
import type { FileDiff, Receipt, StagedEdit, StagedFile } from './types.js';

interface FileState {
  base: { hash: string | null; mode: number | null; encoding: Encoding | null };
  after: string | null;
}

/** Text of a file that does not exist yet: UTF-8 without BOM. */
const NEW_FILE: FileText = { text: '', encoding: 'utf-8', bom: false, eol: 'none', finalNewline: false };

/**
 * Edits that are staged and not yet in the tree: an overlay on the project, kept on disk.
 *
 * Each edit is a line in an append-only journal, synced before {@link stage} returns; file contents lie beside it by
 * hash. Kill the process anywhere, open the changeset again, and it is as after the last staged edit.
 */
export class Changeset {
  private readonly files = new Map<string, FileState>();
  private readonly keys = new Set<string>();
  private goodBytes = 0;
  private seenBytes = -1;
  /** Told of each edit that was staged by this instance; not of one whose key was known. */
  onStaged: ((edit: StagedEdit, key: string | undefined) => void) | undefined;

  private constructor(
    private readonly stateDir: string,
    /** The project root, symlinks resolved. */
    readonly root: string,
    readonly id: string,
  ) {}

  /**
   * Makes a changeset, or opens the one of that id (so a node that runs again after a crash goes on with its own).
   *
   * @param root the project root, absolute
   * @throws XiheError CHANGESET_NOT_FOUND when the id belongs to another project, STATE_UNWRITABLE
   */
  static create(stateDir: string, root: string, id: string = newId()): Changeset {
    const changeset = new Changeset(stateDir, realpathSync(root), id);
    const meta = changeset.file('meta.json');
    if (existsSync(meta)) return Changeset.open(stateDir, root, id);
    replaceFile(meta, JSON.stringify({ version: 1, id, root: changeset.root, at: new Date().toISOString() }));
    return changeset;
  }

  /** @throws XiheError CHANGESET_NOT_FOUND when there is none of that id for that project */
  static open(stateDir: string, root: string, id: string): Changeset {
    const changeset = new Changeset(stateDir, realpathSync(root), id);
    const meta = changeset.file('meta.json');
    const owner = existsSync(meta)
      ? (JSON.parse(stateBytes(meta).toString('utf8')) as { root: string }).root
      : undefined;
    if (owner !== changeset.root) {
      throw new XiheError('CHANGESET_NOT_FOUND', `找不到变更集 ${id}`, {
        hint: owner === undefined ? '它可能已被清理；重新运行任务。' : `它属于另一个项目：${owner}`,
      });
    }
    changeset.refresh();
    return changeset;
  }

  /**
   * A file as this changeset leaves it.
   *
   * @param path POSIX, relative to the root
   * @throws XiheError PATH_NOT_FOUND (also for a staged delete), and what `locate` and `decodeText` throw
   */
  read(path: string): FileText {
    this.refresh();
    const at = locate(this.root, path);
    const staged = this.files.get(at.path);
    if (staged === undefined) return readFileText(at.abs);
    if (staged.after === null) throw notFound(path);
    return decodeText(this.blob(staged.after), staged.base.encoding ?? undefined);
  }

  /** The bytes of a staged file, null for a staged delete, undefined for a file that is not staged. */
  bytes(path: string): Uint8Array | null | undefined {
    this.refresh();
    const staged = this.files.get(locate(this.root, path).path);
    if (staged === undefined) return undefined;
    return staged.after === null ? null : this.blob(staged.after);
  }

  /** Whether a file is there, as this changeset leaves it; false for folders and for paths that lead out. */
  exists(path: string): boolean {
    this.refresh();
    let at: Location;
    try {
      at = locate(this.root, path);
    } catch {
      return false;
    }
    const staged = this.files.get(at.path);
    if (staged !== undefined) return staged.after !== null;
    return statSync(at.abs, { throwIfNoEntry: false })?.isFile() ?? false;
  }

  /** Whether an edit with this key is staged. */
  hasKey(key: string): boolean {
    this.refresh();
    return this.keys.has(key);
  }

  /** The files that differ from the tree at first touch, sorted by path. */
  list(): StagedFile[] {
    this.refresh();
    const staged: StagedFile[] = [];
    for (const [path, { base, after }] of this.files) {
      if (base.hash === after) continue;
      const change = base.hash === null ? 'added' : after === null ? 'deleted' : 'modified';
      staged.push({ path, change, before: base.hash, after, mode: base.mode });
    }
    return staged.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /**
   * Stages one edit; durable when it returns.
   *
   * @param key names the act (a tool call's id): a second call with it does nothing, also after kill -9
   * @throws XiheError PATH_*, FILE_*, ENCODING_*, EDIT_INVALID, STATE_UNWRITABLE; then nothing is staged
   */
  stage(edit: StagedEdit, key?: string): void {
    withFileLock(this.file('lock'), () => {
      this.refresh();
      if (key !== undefined && this.keys.has(key)) return;
      if (isApplied(this.stateDir, this.id)) {
        throw new XiheError('EDIT_INVALID', '这个变更集已经写入工作区，不能再改', { hint: '新的修改请另开一次任务。' });
      }
      if (edit.kind === 'move') this.move(edit, key);
      else this.put(edit, key);
      faultPoint('stage:done');
      this.onStaged?.(edit, key);
    });
  }

  private put(edit: Exclude<StagedEdit, { kind: 'move' }>, key?: string): void {
    const at = locate(this.root, edit.path);
    const { base, after } = this.stateOf(at);
    const bytes = this.resultOf(edit, at, { base, after });
    if (bytes !== null) this.putBlob(bytes);
    faultPoint('stage:after-blob');
    this.append({ key: key ?? null, path: at.path, kind: edit.kind, after: bytes && hashOf(bytes) }, base);
  }

  /** The new place first, then the old one with the key: a run that is killed between the two does both again. */
  private move(edit: Extract<StagedEdit, { kind: 'move' }>, key?: string): void {
    const from = locate(this.root, edit.path);
    const to = locate(this.root, edit.to);
    const source = this.stateOf(from);
    this.resultOf({ kind: 'delete', path: edit.path }, from, source); // throws where it can't go
    const target = this.stateOf(to);
    if (target.after !== null && target.after !== source.after) {
      throw new XiheError('EDIT_INVALID', `${edit.to} 已经存在，不能移过去`, {
        hint: '换一个路径，或先删除那个文件。',
      });
    }
    this.refuseFolderClash(to.path);
    const { mode, encoding } = source.base;
    const base = target.base.hash === null ? { hash: null, mode, encoding } : target.base;
    this.append({ key: null, path: to.path, kind: 'write', after: source.after }, base);
    faultPoint('stage:move-half');
    this.append({ key: key ?? null, path: from.path, kind: 'delete', after: null }, source.base);
  }

  private stateOf(at: Location): FileState {
    const known = this.files.get(at.path);
    if (known !== undefined) return known;
    const base = this.firstTouch(at);
    return { base, after: base.hash };
  }

  private append(line: Omit<JournalEntry, 'base' | 'at'>, base: FileState['base']): void {
    const first = this.files.has(line.path) ? {} : { base };
    const entry: JournalEntry = { ...line, ...first, at: new Date().toISOString() };
    const journal = this.file('journal.jsonl');
    this.goodBytes = inState(journal, () => appendJournal(journal, entry, this.goodBytes));
    this.seenBytes = this.goodBytes;
    this.take(entry);
  }

  /** Unified diffs of all staged files, sorted by path; long and binary files included. */
  diff(): FileDiff[] {
    return this.list().map((file) => {
      const encoding = this.files.get(file.path)?.base.encoding ?? undefined;
      const before = file.before === null ? null : this.blob(file.before);
      return diffFile(file.path, before, file.after === null ? null : this.blob(file.after), encoding);
    });
  }

  /**
   * Writes all staged files to the tree, or none. Safe to call again after a crash: a half-written tree is carried to
   * its end once, and a changeset that is applied gives back its receipt.
   *
   * @throws XiheError CHANGESET_CONFLICT when files changed since they were first touched (nothing is written),
   *   APPLY_FAILED when writing failed (what was written is taken back), LOCK_BUSY
   */
  apply(): Receipt {
    const files = this.list();
    return applyFiles({
      stateDir: this.stateDir,
      root: this.root,
      changesetId: this.id,
      files,
      blob: (h) => this.blob(h),
    });
  }

  /** Forgets the staged edits. What was applied stays applied, and its receipt too. */
  discard(): void {
    rmSync(this.file(), { recursive: true, force: true });
    this.files.clear();
    this.keys.clear();
    this.goodBytes = 0;
    this.seenBytes = -1;
  }

  private file(...parts: string[]): string {
    return join(this.stateDir, 'changesets', folderName(this.id), ...parts);
  }

  /** Takes over what other instances (or processes) have staged since. */
  private refresh(): void {
    const file = this.file('journal.jsonl');
    if (journalBytes(file) === this.seenBytes) return;
    const { entries, goodBytes } = readJournal(file);
    this.files.clear();
    this.keys.clear();
    for (const entry of entries) this.take(entry);
    this.goodBytes = goodBytes;
    this.seenBytes = journalBytes(file);
  }

  private take(entry: JournalEntry): void {
    if (entry.key !== null) this.keys.add(entry.key);
    const base = this.files.get(entry.path)?.base ?? entry.base ?? { hash: null, mode: null, encoding: null };
    this.files.set(entry.path, { base, after: entry.after });
  }

  private firstTouch(at: Location): FileState['base'] {
    const stat = statSync(at.abs, { throwIfNoEntry: false });
    if (stat === undefined) return { hash: null, mode: null, encoding: null };
    if (!stat.isFile()) throw new XiheError('PATH_INVALID', `不是文件：${at.path}`, { hint: '给出一个文件的路径。' });
    if (stat.size > MAX_TEXT_BYTES) {
      throw new XiheError('FILE_TOO_LARGE', `文件太大：${at.path}（${stat.size} 字节）`, {
        hint: `最多 ${MAX_TEXT_BYTES / 1024 / 1024} MB；这样大的文件请手工修改。`,
      });
    }
    const bytes = readFileSync(at.abs);
    this.putBlob(bytes);
    return { hash: hashOf(bytes), mode: stat.mode & 0o7777, encoding: encodingOf(bytes) };
  }

  /** The file's bytes after `edit`; null for a delete. */
  private resultOf(edit: Exclude<StagedEdit, { kind: 'move' }>, at: Location, now: FileState): Uint8Array | null {
    const hint = now.base.encoding ?? undefined;
    if (edit.kind === 'write') {
      this.refuseFolderClash(at.path);
      const like = now.after ?? now.base.hash;
      return encodeText(edit.text, like === null ? NEW_FILE : decodeText(this.blob(like), hint));
    }
    if (now.after === null) throw notFound(edit.path);
    if (edit.kind === 'edit') return applyTextEdits(this.blob(now.after), edit.edits, hint);
    if (lstatSync(join(this.root, edit.path), { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new XiheError('EDIT_INVALID', `${edit.path} 是符号链接，不能在变更集里删除`, {
        hint: '请手工删除这个链接。',
      });
    }
    return null;
  }

  /** `a` and `a/b` can't both be files. */
  private refuseFolderClash(path: string): void {
    for (const [other, { after }] of this.files) {
      if (after === null || (!other.startsWith(`${path}/`) && !path.startsWith(`${other}/`))) continue;
      throw new XiheError('EDIT_INVALID', `${path} 和已暂存的 ${other} 冲突：同一个名字不能既是文件又是目录`, {
        hint: '换一个路径，或先删除已暂存的那个文件。',
      });
    }
  }

  private putBlob(bytes: Uint8Array): void {
    const file = this.file('blobs', hashOf(bytes));
    if (!existsSync(file)) replaceFile(file, bytes);
  }

  private blob(hash: string): Buffer {
    return stateBytes(this.file('blobs', hash));
  }
}

function notFound(path: string): XiheError {
  return new XiheError('PATH_NOT_FOUND', `找不到文件：${path}`, {
    hint: '用 lookup_file 按意思找，或先新建它。',
    details: { path },
  });
}

/** The encoding of a text file; null for a binary one (it may be deleted, not edited). */
function encodingOf(bytes: Uint8Array): Encoding | null {
  try {
    return decodeText(bytes).encoding;
  } catch {
    return null;
  }
}
