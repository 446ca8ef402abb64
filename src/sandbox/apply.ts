import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, XiheError } from '../errors.js';
import { folderName } from './changesetName.js';
import { faultPoint, hashOf } from './durable.js';
import { lockPath, withFileLock } from './lock.js';
import {
  isPending,
  keepBlob,
  publicReceipt,
  readBlob,
  readReceipt,
  readReceipts,
  receiptDir,
  type StoredReceipt,
  writeReceipt,
} from './receipts.js';
import {
  compareTree,
  type Move,
  missingDirs,
  modeNow,
  removeEmptyDirs,
  removeTemps,
  TreeMovedError,
  writeMoves,
} from './treeWriter.js';
import type { Receipt, StagedFile } from './types.js';

/** What {@link applyFiles} writes. */
export interface ApplyInput {
  stateDir: string;
  root: string;
  changesetId: string;
  files: readonly StagedFile[];
  /** The bytes of a staged hash. */
  blob: (hash: string) => Uint8Array;
}

/** Whether a changeset has been written to the tree (or is being written, or was taken back). */
export function isApplied(stateDir: string, changesetId: string): boolean {
  const receipt = readReceipt(stateDir, receiptIdOf(changesetId));
  return receipt !== null && receipt.state !== 'rolled-back';
}

/**
 * Writes staged files to the tree in one step, or not at all.
 *
 * In order: under the project's lock, acts that a crash left half done are finished; every file is compared with the
 * content it had when it was first touched; old and new contents are put beside a receipt in state `applying`; the new
 * contents are written beside their targets; renames; the receipt becomes `applied`. From the receipt on, any later call
 * (of this or another changeset, or an undo) finishes what a crash has interrupted.
 *
 * @throws XiheError CHANGESET_CONFLICT, APPLY_FAILED, LOCK_BUSY
 */
export function applyFiles(input: ApplyInput): Receipt {
  const { stateDir, root } = input;
  return withFileLock(lockPath(stateDir, 'apply'), () => {
    const id = receiptIdOf(input.changesetId);
    finishPending(stateDir, root, id);
    const known = readReceipt(stateDir, id);
    if (known?.state === 'applied') return publicReceipt(known);
    if (known?.state === 'applying') return publicReceipt(rollForward(stateDir, known));
    if (known?.state === 'undone' || known?.state === 'undoing') {
      if (known.state === 'undoing') rollBackward(stateDir, known);
      throw new XiheError('APPLY_FAILED', '这个变更集写入过，又被撤销了，不会再写一次', {
        hint: '需要的话重新运行任务。',
        details: { receipt: id },
      });
    }
    return publicReceipt(rollForward(stateDir, begin(input, id)));
  });
}

/**
 * Takes an applied changeset back: the exact bytes, modes and absences from before. Safe to call again after a crash.
 *
 * @param receiptId a receipt's or a changeset's id; without it the newest that is applied
 * @returns the receipt, in state `undone` (also when it was undone before)
 * @throws XiheError RECEIPT_NOT_FOUND, UNDO_CONFLICT when files changed since (nothing is touched), APPLY_FAILED when
 *   writing failed (the tree is as before the undo), LOCK_BUSY
 */
export function undo(stateDir: string, root: string, receiptId?: string): Receipt {
  return withFileLock(lockPath(stateDir, 'apply'), () => {
    // An undo that was killed is this one, said again: it must not go on to the change before.
    const broken = readReceipts(stateDir).find((r) => r.root === root && r.state === 'undoing');
    if (receiptId === undefined && broken !== undefined) return publicReceipt(rollBackward(stateDir, broken));
    finishPending(stateDir, root, undefined);
    const mine = readReceipts(stateDir).filter((r) => r.root === root);
    const wanted =
      receiptId === undefined
        ? mine.find((r) => r.state === 'applied')
        : (mine.find((r) => r.id === receiptId) ?? mine.find((r) => r.changesetId === receiptId));
    if (wanted === undefined || wanted.state === 'rolled-back') {
      throw new XiheError(
        'RECEIPT_NOT_FOUND',
        receiptId === undefined ? '没有可以撤销的修改' : `没有写入记录：${receiptId}`,
        {
          hint:
            mine.length > 0
              ? `有记录的：${mine
                  .slice(0, 5)
                  .map((r) => r.id)
                  .join('、')}`
              : '还没有修改写进过这个项目。',
        },
      );
    }
    return publicReceipt(wanted.state === 'undone' ? wanted : rollBackward(stateDir, wanted));
  });
}

function receiptIdOf(changesetId: string): string {
  return `r-${folderName(changesetId)}`;
}

/** Finishes what a crash has left between two versions; the user had said yes to it. */
function finishPending(stateDir: string, root: string, except: string | undefined): void {
  for (const receipt of readReceipts(stateDir)) {
    if (receipt.root !== root || receipt.id === except || !isPending(receipt)) continue;
    try {
      if (receipt.state === 'applying') rollForward(stateDir, receipt);
      else rollBackward(stateDir, receipt);
    } catch (e) {
      // In conflict with the user's later edits: it was rolled back, and its own caller is told on its next call.
      if (!XiheError.is(e, 'CHANGESET_CONFLICT') && !XiheError.is(e, 'UNDO_CONFLICT')) throw e;
    }
  }
}

const forward = (r: StoredReceipt): Move[] =>
  r.files.map((f) => ({ path: f.path, from: f.before, to: f.after, mode: f.mode }));
const backward = (r: StoredReceipt): Move[] =>
  r.files.map((f) => ({ path: f.path, from: f.after, to: f.before, mode: f.mode }));

function begin(input: ApplyInput, id: string): StoredReceipt {
  const { stateDir, root } = input;
  const files = input.files.map(({ path, before, after, mode }) => ({
    path,
    before,
    after,
    // The user may have changed it while the edit waited.
    mode: modeNow(root, path) ?? mode,
  }));
  const receipt: StoredReceipt = {
    id,
    changesetId: input.changesetId,
    at: new Date().toISOString(),
    state: 'applying',
    root,
    seq: 1 + Math.max(0, ...readReceipts(stateDir).map((r) => r.seq)),
    files,
    createdDirs: [],
  };
  const now = compareTree(root, forward(receipt));
  const changed = [...now.done, ...now.strangers].filter((m) => m.from !== m.to);
  if (changed.length > 0) throw conflict('CHANGESET_CONFLICT', '这些文件在修改之后又被改过，没有写入任何文件', changed);
  for (const file of files) {
    if (file.before !== null) keepBlob(stateDir, id, readChecked(root, file.path, file.before));
    if (file.after !== null) keepBlob(stateDir, id, input.blob(file.after));
  }
  receipt.createdDirs = missingDirs(root, forward(receipt));
  faultPoint('apply:before-receipt');
  writeReceipt(stateDir, receipt);
  faultPoint('apply:after-receipt');
  return receipt;
}

/** The old bytes for the backup; the file may have changed since the comparison a moment ago. */
function readChecked(root: string, path: string, hash: string): Buffer {
  const bytes = readFileSync(join(root, path));
  if (hashOf(bytes) === hash) return bytes;
  throw conflict('CHANGESET_CONFLICT', '这个文件正在被别的程序修改，没有写入任何文件', [{ path }]);
}

function rollForward(stateDir: string, receipt: StoredReceipt): StoredReceipt {
  const moves = forward(receipt);
  const now = compareTree(receipt.root, moves);
  if (now.strangers.length > 0) {
    takeBack(stateDir, receipt, backward(receipt), 'rolled-back');
    throw conflict('CHANGESET_CONFLICT', '写到一半时中断过，之后这些文件又被改过；已写的部分已退回', now.strangers);
  }
  try {
    writeMoves(receipt.root, now.todo, receipt.id, (h) => readBlob(stateDir, receipt.id, h), 'apply');
    removeTemps(receipt.root, moves, receipt.id);
  } catch (e) {
    takeBack(stateDir, receipt, backward(receipt), 'rolled-back');
    if (e instanceof TreeMovedError)
      throw conflict('CHANGESET_CONFLICT', '写入时文件被别的程序改了；已写的部分已退回', [e]);
    throw failed('写入失败，已全部退回', e);
  }
  faultPoint('apply:before-done');
  return settle(stateDir, receipt, 'applied');
}

function rollBackward(stateDir: string, receipt: StoredReceipt): StoredReceipt {
  const moves = backward(receipt);
  const now = compareTree(receipt.root, moves);
  const resumed = receipt.state === 'undoing';
  // Before the first write, a file that is back at its old content was changed by the user too.
  const changed = [...now.strangers, ...(resumed ? [] : now.done.filter((m) => m.from !== m.to))];
  if (changed.length > 0) {
    if (resumed) takeBack(stateDir, receipt, forward(receipt), 'applied');
    throw conflict('UNDO_CONFLICT', '这些文件在写入之后又被改过，没有撤销', changed);
  }
  if (!resumed) settle(stateDir, receipt, 'undoing');
  faultPoint('undo:after-receipt');
  try {
    writeMoves(receipt.root, now.todo, receipt.id, (h) => readBlob(stateDir, receipt.id, h), 'undo');
    removeTemps(receipt.root, moves, receipt.id);
    removeEmptyDirs(receipt.root, receipt.createdDirs);
  } catch (e) {
    takeBack(stateDir, receipt, forward(receipt), 'applied');
    if (e instanceof TreeMovedError) throw conflict('UNDO_CONFLICT', '撤销时文件被别的程序改了，没有撤销', [e]);
    throw failed('撤销失败，文件都还是写入后的样子', e);
  }
  faultPoint('undo:before-done');
  return settle(stateDir, receipt, 'undone');
}

function settle(stateDir: string, receipt: StoredReceipt, state: StoredReceipt['state']): StoredReceipt {
  receipt.state = state;
  writeReceipt(stateDir, receipt);
  return receipt;
}

/** Undoes the part that was written; files that someone else has changed meanwhile are left to them. */
function takeBack(
  stateDir: string,
  receipt: StoredReceipt,
  moves: readonly Move[],
  state: StoredReceipt['state'],
): void {
  try {
    const { todo } = compareTree(receipt.root, moves);
    writeMoves(receipt.root, todo, receipt.id, (h) => readBlob(stateDir, receipt.id, h), 'rollback');
    removeTemps(receipt.root, moves, receipt.id);
    if (state === 'rolled-back') removeEmptyDirs(receipt.root, receipt.createdDirs);
    faultPoint('rollback:before-done');
    settle(stateDir, receipt, state);
  } catch (e) {
    throw new XiheError('APPLY_FAILED', `写入中断，退回也没有成功：${messageOf(e)}`, {
      hint: `排除故障（磁盘、权限）后再运行一次会接着处理；原来的内容都在 ${join(receiptDir(stateDir, receipt.id), 'blobs')}。`,
      cause: e,
      details: { receipt: receipt.id, files: receipt.files.map((f) => f.path) },
    });
  }
}

function conflict(
  code: 'CHANGESET_CONFLICT' | 'UNDO_CONFLICT',
  what: string,
  files: readonly { path: string }[],
): XiheError {
  const paths = files.map((f) => f.path);
  const shown = paths.length > 5 ? `${paths.slice(0, 5).join('、')} 等 ${paths.length} 个文件` : paths.join('、');
  return new XiheError(code, `${what}：${shown}`, {
    hint:
      code === 'UNDO_CONFLICT'
        ? '先处理这些文件上的新改动，或用 git 手工恢复。'
        : '看一下这些文件的新内容，再重新运行任务。',
    details: { files: paths },
  });
}

function failed(what: string, e: unknown): XiheError {
  return new XiheError('APPLY_FAILED', `${what}：${messageOf(e)}`, {
    hint: '检查磁盘空间和写权限，然后重试。',
    cause: e,
  });
}
