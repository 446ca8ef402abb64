import {
  closeSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { XiheError } from '../errors.js';
import { openStateAppend, stateBytes } from '../stateFile.js';
import { maskPersonal, maskSecrets } from '../text/index.js';
import { withFileLock } from './lock.js';
import type { AuditEntry } from './types.js';

/** Size at which the log is set aside and a new one begun: some 20,000 entries. Bytes. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;
/** Older logs kept. */
const KEPT_LOGS = 10;
/** Longer strings in an entry are cut: the log says what was done, not what a file held. Characters. */
const MAX_STRING = 2_000;
/** Longer strings are cut before secrets are looked for: masking must not take seconds. What a secret loses here is not kept. */
const MAX_MASKED = 8 * MAX_STRING;

const CURRENT = 'audit.jsonl';

/** Limits of an {@link AuditLog}; tests use small ones. */
export interface AuditOptions {
  maxBytes?: number;
  keep?: number;
}

/**
 * Who did what, when, and what came of it: one JSON line an act, in `<stateDir>/audit/`, secrets and personal data masked.
 *
 * Several processes may append at once: each line is one write at the end of the file.
 */
export class AuditLog {
  private readonly dir: string;

  constructor(
    stateDir: string,
    private readonly options: AuditOptions = {},
  ) {
    this.dir = join(stateDir, 'audit');
  }

  /** @throws XiheError STATE_UNWRITABLE when the log can't be written */
  append(entry: AuditEntry): void {
    const line = JSON.stringify(shorten(maskSecrets(entry, (text) => maskPersonal(cut(text, MAX_MASKED, '\n…')))));
    try {
      mkdirSync(this.dir, { recursive: true });
      this.rotateIfLarge();
      this.appendLine(line);
    } catch (cause) {
      throw new XiheError('STATE_UNWRITABLE', `审计日志写不进去：${join(this.dir, CURRENT)}`, {
        hint: '检查磁盘空间和 .xihe/state 的写权限。',
        cause,
      });
    }
  }

  /** The last `limit` entries, oldest first, older logs included; lines that can't be read are left out. */
  recent(limit: number): AuditEntry[] {
    const found: AuditEntry[] = [];
    for (const file of [...this.olderLogs(), CURRENT].reverse()) {
      if (found.length >= limit) break;
      found.unshift(...parseLines(join(this.dir, file)));
    }
    return found.slice(-limit);
  }

  private appendLine(line: string): void {
    const fd = openStateAppend(join(this.dir, CURRENT), { mode: 0o600, readable: true });
    try {
      // A process that was killed in the middle of its line must not swallow this one.
      writeSync(fd, `${endsInLine(fd) ? '' : '\n'}${line}\n`);
    } finally {
      closeSync(fd);
    }
  }

  private rotateIfLarge(): void {
    const file = join(this.dir, CURRENT);
    const isLarge = () =>
      (statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= (this.options.maxBytes ?? MAX_LOG_BYTES);
    if (!isLarge()) return;
    withFileLock(join(this.dir, 'rotate'), () => {
      if (!isLarge()) return; // another process was first
      const last = this.olderLogs().at(-1);
      const number = 1 + Number(last?.slice('audit.'.length, -'.jsonl'.length) ?? 0);
      renameSync(file, join(this.dir, `audit.${String(number).padStart(6, '0')}.jsonl`));
      const old = this.olderLogs();
      for (const name of old.slice(0, Math.max(0, old.length - (this.options.keep ?? KEPT_LOGS))))
        rmSync(join(this.dir, name), { force: true });
    });
  }

  private olderLogs(): string[] {
    try {
      return readdirSync(this.dir)
        .filter((name) => /^audit\.\d+\.jsonl$/.test(name))
        .sort();
    } catch {
      return [];
    }
  }
}

function endsInLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}

function parseLines(file: string): AuditEntry[] {
  const entries: AuditEntry[] = [];
  let text: string;
  try {
    text = stateBytes(file).toString('utf8');
  } catch {
    return [];
  }
  for (const line of text.split('\n')) {
    try {
      if (line !== '') entries.push(JSON.parse(line) as AuditEntry);
    } catch {
      // A torn line of a process that was killed.
    }
  }
  return entries;
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, MAX_STRING);
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, shorten(v)]));
}

/**
 * Cuts a string and says how long it was; a string that was cut before says it of the first time.
 *
 * @param mark begins the note; a space in it keeps the note out of a secret that is masked
 */
function cut(text: string, max: number, mark = '…'): string {
  if (text.length <= max) return text;
  const total = /…（共 (\d+) 字符）$/.exec(text.slice(-40))?.[1] ?? text.length;
  return `${text.slice(0, max)}${mark}（共 ${total} 字符）`;
}
