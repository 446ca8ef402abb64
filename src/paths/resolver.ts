import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { errnoOf, QUOTED_PATH_CHARS, quoted, XiheError } from '../errors.js';
import { closest } from '../text/index.js';
import { nearest } from './nearest.js';
import { type PathOverlay, repairCandidates, toHalfWidth } from './repair.js';
import type { RepoPath, Resolution, WriteTarget } from './types.js';
import { statOf } from './walk.js';

/** Paths named in a "not found" message. */
const MAX_NEAREST = 3;
/** Bytes of one name on ext4, APFS and NTFS; longer ones fail later and less clearly. */
const MAX_NAME_BYTES = 255;
/** Bytes of a whole path; Linux allows 4,096, and the root needs some. */
const MAX_PATH_BYTES = 2_048;
const CONTROL = /[\u0000-\u001F\u007F]/;
/** Names that Windows can't check out, so that a file made here does not break a colleague's clone. */
const WINDOWS_FORBIDDEN = /[<>:"|?*\\]|[. ]$/;
const WINDOWS_DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const LINE_SUFFIX = /:\d+(?::\d+)?$/;
/** Quotes that models put around a path. */
const QUOTED = /^(['"`])(.+)\1$/;
/** Git's own folder: its config holds tokens, its hooks run programs. Not for models, on any file system's letter case. */
const GIT_FOLDER = /(?:^|\/)\.git(?:\/|$)/i;
/** Checkpoints, receipts and caches: written by Xihe alone. */
const STATE_FOLDER = /^\.xihe\/state(?:\/|$)/i;

/**
 * The one door for paths that a model or user names (DESIGN §4): POSIX and relative to the root, never outside of it (`..`,
 * absolute paths, symlinks), repaired only where exactly one real file can be meant.
 */
export class PathResolver {
  readonly #root: string;
  readonly #known: () => Iterable<string>;
  readonly #renamedTo: (path: string) => string | undefined;

  /**
   * @param root absolute path of the project, symlinks resolved
   * @param known paths to name in "not found" messages
   * @param renamedTo what a file that is gone is called now
   */
  constructor(
    root: string,
    known: () => Iterable<string>,
    renamedTo: (path: string) => string | undefined = () => undefined,
  ) {
    this.#root = root;
    this.#known = known;
    this.#renamedTo = renamedTo;
  }

  /**
   * The real path that `raw` names: a file or a folder, `.` for the root itself.
   *
   * @param raw as a model wrote it: `./a`, `src\\a`, an absolute path inside the root, Chinese with spaces put in
   * @param overlay what a changeset added or deleted
   * @throws XiheError PATH_INVALID, PATH_OUTSIDE_PROJECT, PATH_NOT_FOUND (its message names the nearest real paths)
   */
  resolve(raw: string, overlay: PathOverlay = {}): Resolution {
    const wanted = this.#normalise(raw);
    const real = this.#existing(wanted, raw, overlay);
    if (real !== undefined) return { ok: true, path: real, repaired: false };
    const repaired = this.#repair(wanted, raw, overlay);
    if (repaired === undefined) throw this.#notFound(raw, wanted);
    return { ok: true, path: repaired, repaired: true, from: raw, note: correction(raw, repaired) };
  }

  /**
   * The path for a file to be created.
   *
   * @throws XiheError PATH_INVALID when something is there already or the name is not sane; PATH_OUTSIDE_PROJECT
   */
  resolveNew(raw: string, overlay: PathOverlay = {}): string {
    const target = this.resolveForWrite(raw, overlay);
    if (!target.exists) return target.path;
    throw new XiheError('PATH_INVALID', `${target.path} 已经存在，不能当新文件创建`, {
      hint: '要改它就编辑它，要另建就换一个名字。',
      details: { path: target.path },
    });
  }

  /**
   * Where a write to `raw` goes: an existing file (repaired like any path), or a new one in a parent folder that is
   * repaired likewise. Never through a symlink out of the root, never onto a folder.
   *
   * @throws XiheError PATH_INVALID, PATH_OUTSIDE_PROJECT
   */
  resolveForWrite(raw: string, overlay: PathOverlay = {}): WriteTarget {
    const wanted = this.#normalise(raw);
    const real = this.#existing(wanted, raw, overlay) ?? this.#repair(wanted, raw, overlay);
    if (STATE_FOLDER.test(real ?? wanted)) throw invalid(raw, '在羲和的运行状态目录里，不能写');
    if (real !== undefined) {
      if (real === '.' || statOf(join(this.#root, real))?.isDirectory()) throw invalid(raw, '是一个目录，不是文件');
      return { path: real, exists: true, ...repairNote(raw, wanted, real) };
    }
    if (/[\\/]\s*$/.test(raw)) throw invalid(raw, '要给出文件名');
    const path = this.#newPath(wanted, raw, overlay);
    return { path, exists: false, ...repairNote(raw, wanted, path) };
  }

  /** Cleans the spelling and makes it relative; what it names may not exist. */
  #normalise(raw: string): string {
    if (typeof raw !== 'string' || raw.trim() === '') throw invalid(String(raw), '是空的');
    if (CONTROL.test(raw)) throw invalid(raw.replace(CONTROL, '?'), '含有控制字符');
    if (Buffer.byteLength(raw) > MAX_PATH_BYTES) throw invalid(`${raw.slice(0, 40)}…`, '太长');
    let path = QUOTED.exec(raw.trim())?.[2] ?? raw;
    if (isAbsolute(path)) path = this.#insideRoot(path, raw);
    // A backslash is a separator unless a file is really called so.
    if (path.includes('\\') && !existsSync(join(this.#root, path))) path = path.replaceAll('\\', '/');
    if (/^[A-Za-z]:/.test(path) || path.startsWith('//')) throw outside(raw);
    if (/^~(?:\/|$)/.test(path) && !existsSync(join(this.#root, '~'))) throw outside(raw);
    return this.#withoutLine(this.#tidy(path, raw));
  }

  /** `src/a.ts:88`, as our own answers name places, means the file. */
  #withoutLine(path: string): string {
    const bare = path.replace(LINE_SUFFIX, '');
    return bare !== path && !existsSync(join(this.#root, path)) ? bare : path;
  }

  #tidy(path: string, raw: string): string {
    const tidy = posix.normalize(path.trim()).replace(/\/+$/, '') || '.';
    if (tidy === '..' || tidy.startsWith('../') || tidy.startsWith('/')) throw outside(raw);
    if (GIT_FOLDER.test(tidy)) throw invalid(raw, '在 git 的内部目录里，不能直接访问');
    return tidy;
  }

  #insideRoot(path: string, raw: string): string {
    const direct = relative(this.#root, path);
    if (!startsOutside(direct)) return toPosix(direct) || '.';
    // The same place by another name: /tmp and /private/tmp, a symlink to the root.
    const real = relative(this.#root, realOfNearest(path));
    if (startsOutside(real)) throw outside(raw);
    return toPosix(real) || '.';
  }

  /** The path itself when it is there, by its real name; a symlink that stays inside leads to its target. */
  #existing(path: string, raw: string, overlay: PathOverlay): RepoPath | undefined {
    if (overlay.added?.some((added) => added === path || added.startsWith(`${path}/`))) return path as RepoPath;
    if (overlay.deleted?.includes(path)) return undefined;
    const absolute = join(this.#root, path);
    if (statOf(absolute) === undefined) {
      // Not there, but a folder on the way may lead out of the root, where nothing may be asked about.
      this.#assertParentInside(path, raw);
      return undefined;
    }
    let real: string;
    try {
      real = realpathSync(absolute);
    } catch (e) {
      const broken = errnoOf(e) === 'ENOENT' || errnoOf(e) === 'ELOOP';
      throw invalid(raw, broken ? '是一个断掉的符号链接' : '没有权限访问');
    }
    const inside = relative(this.#root, real);
    if (startsOutside(inside)) throw outside(raw);
    if (GIT_FOLDER.test(toPosix(inside))) throw invalid(raw, '在 git 的内部目录里，不能直接访问');
    return (toPosix(inside) || '.') as RepoPath;
  }

  #assertParentInside(path: string, raw: string): void {
    if (startsOutside(relative(this.#root, realOfNearest(join(this.#root, path))))) throw outside(raw);
  }

  #repair(wanted: string, raw: string, overlay: PathOverlay): RepoPath | undefined {
    // Half-width first: ．．／secret must be seen as ../secret, and ／ as a separator.
    const spelled = this.#tidy(toHalfWidth(wanted.normalize('NFC')).replaceAll('\\', '/'), raw);
    const real = new Set<RepoPath>();
    for (const candidate of repairCandidates(this.#root, spelled, overlay)) {
      const path = this.#existing(candidate, raw, overlay);
      if (path !== undefined) real.add(path);
    }
    if (real.size === 1) return [...real][0];
    if (real.size > 1) throw this.#ambiguous(raw, [...real]);
    return undefined;
  }

  #newPath(wanted: string, raw: string, overlay: PathOverlay): string {
    const name = posix.basename(wanted);
    assertSaneName(name, raw);
    let parent = posix.dirname(wanted);
    const missing: string[] = [];
    while (parent !== '.') {
      const real = this.#existing(parent, raw, overlay) ?? this.#repair(parent, raw, overlay);
      if (real !== undefined) {
        if (statOf(join(this.#root, real))?.isFile()) throw invalid(raw, `的上级 ${real} 是文件，不是目录`);
        parent = real;
        break;
      }
      assertSaneName(posix.basename(parent), raw);
      missing.unshift(posix.basename(parent));
      parent = posix.dirname(parent);
    }
    return [...(parent === '.' ? [] : [parent]), ...missing, name].join('/');
  }

  #notFound(raw: string, wanted: string): XiheError {
    const now = this.#renamedTo(wanted);
    if (now !== undefined && statOf(join(this.#root, now))?.isFile())
      return new XiheError('PATH_NOT_FOUND', `找不到 ${raw}：它已改名为 ${now}`, {
        hint: `用 ${now} 再试。`,
        details: { path: raw, nearest: [now], renamedTo: now },
      });
    // What went since the last look is not offered.
    const near = nearest(wanted, this.#known(), 2 * MAX_NEAREST)
      .filter((path) => statOf(join(this.#root, path)) !== undefined)
      .slice(0, MAX_NEAREST);
    const message = near.length > 0 ? `找不到 ${raw}。最接近的有：${near.join('、')}` : `找不到 ${raw}`;
    return new XiheError('PATH_NOT_FOUND', message, {
      hint:
        near.length > 0
          ? '用上面列出的真实路径，或用 lookup_file（xihe find）按意思找。'
          : '用 lookup_file（xihe find）按意思找，或先看有哪些目录：load_context（xihe tree）。',
      details: { path: raw, nearest: near },
    });
  }

  #ambiguous(raw: string, paths: string[]): XiheError {
    const named = closest(raw, paths, MAX_NEAREST);
    const list = (named.length > 0 ? named : paths.slice(0, MAX_NEAREST)).join('、');
    return new XiheError(
      'PATH_NOT_FOUND',
      `找不到 ${quoted(raw, QUOTED_PATH_CHARS)}，写法相近的有 ${paths.length} 个，分不清是哪个。最接近的有：${list}`,
      {
        hint: '照抄其中一个真实路径再试。',
        details: { path: raw, nearest: paths },
      },
    );
  }
}

function assertSaneName(name: string, raw: string): void {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw invalid(raw, '的文件名太长');
  if (WINDOWS_FORBIDDEN.test(name) || WINDOWS_DEVICES.test(name)) throw invalid(raw, '的文件名在 Windows 上不能用');
  if (name.startsWith(' ')) throw invalid(raw, '的文件名不能用');
}

function repairNote(raw: string, wanted: string, path: string): { note?: string } {
  return path === wanted ? {} : { note: correction(raw, path) };
}

function correction(raw: string, path: string): string {
  return `路径已更正：「${raw}」→「${path}」，以后请用后者`;
}

/** The real path of the nearest part of `path` that exists, with the rest added: symlinks on the way are followed. */
function realOfNearest(path: string): string {
  const rest: string[] = [];
  for (let at = path; ; ) {
    try {
      return join(realpathSync(at), ...rest);
    } catch {
      const parent = join(at, '..');
      if (parent === at) return path;
      rest.unshift(at.slice(parent.length).replace(/^[\\/]+/, ''));
      at = parent;
    }
  }
}

function startsOutside(rel: string): boolean {
  return rel === '..' || rel.startsWith(`..${sep}`) || isAbsolute(rel);
}

function toPosix(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

function invalid(raw: string, why: string): XiheError {
  return new XiheError('PATH_INVALID', `路径「${quoted(raw, QUOTED_PATH_CHARS)}」${why}`, {
    hint: '给出相对项目根目录的路径，用 / 分隔，例如 src/order/service.ts。',
    details: { path: raw },
  });
}

function outside(raw: string): XiheError {
  return new XiheError('PATH_OUTSIDE_PROJECT', `${quoted(raw, QUOTED_PATH_CHARS)} 在项目之外，不能访问`, {
    hint: '只能用项目根目录以内的路径，写成相对根目录的形式。',
    details: { path: raw },
  });
}
