import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { messageOf, quoted, XiheError } from '../../errors.js';
import { readStateFile } from '../../stateFile.js';
import { userConfigDir } from '../../trust.js';
import { faultsOf } from '../../zod-zh.js';
import { KEYS_LOOK_MS } from './limits.js';

/** Letters of a key's name and of a role, as identity systems write them. */
const NAME = /^[A-Za-z0-9][\w.:-]{0,63}$/;
/** What every key begins with, so that scanners for secrets know it. */
const PREFIX = 'xihe_';
/** 256 bits: nothing that could be guessed, so its hash needs no salt and no slow function. */
const KEY_BYTES = 32;
/** All projects, also those that are added later. */
export const EVERY_PROJECT = '*';

const keySchema = z.strictObject({
  name: z.string().regex(NAME),
  /** SHA-256 of the key, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  projects: z.array(z.string().min(1)).min(1),
  roles: z.array(z.string().regex(NAME)),
  created: z.string().optional(),
});
const keysSchema = z.array(keySchema);

/** A key as it is kept: what opens is not in it. */
export type KeptKey = z.infer<typeof keySchema>;

/** The file of the keys: the user's own, or what `XIHE_SERVE_KEYS_FILE` names. */
export function keysFile(env: NodeJS.ProcessEnv = process.env): string {
  const named = env.XIHE_SERVE_KEYS_FILE;
  return named ? resolve(named) : join(userConfigDir(env), 'serve-keys.json');
}

/** The keys of a file; none where there is no file. @throws XiheError CONFIG_INVALID when it is broken */
export function readKeys(file: string): KeptKey[] {
  const text = readStateFile(file)?.toString('utf8');
  return text === undefined ? [] : parseKeys(text, file);
}

function parseKeys(text: string, where: string): KeptKey[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(where, `不是 JSON：${messageOf(cause)}`, cause);
  }
  const parsed = keysSchema.safeParse(value);
  if (!parsed.success)
    throw invalid(
      where,
      faultsOf(parsed.error, keysSchema)
        .map(({ reason }) => reason)
        .join('；'),
    );
  return parsed.data;
}

function invalid(where: string, why: string, cause?: unknown): XiheError {
  return new XiheError('CONFIG_INVALID', `密钥清单 ${where} 有误：${why}`, {
    hint: '用 xihe keys 增删，不要手工改；坏了就删掉重建。',
    cause,
  });
}

/**
 * Makes a key and keeps its hash.
 *
 * @param key its name, the projects that it opens (`*`: all), its roles
 * @returns the key itself, which is shown this once
 * @throws XiheError USAGE, KEY_EXISTS, CONFIG_INVALID, STATE_UNWRITABLE
 */
export function addKey(file: string, { name, projects, roles }: Pick<KeptKey, 'name' | 'projects' | 'roles'>): string {
  for (const one of [name, ...roles])
    if (!NAME.test(one))
      throw new XiheError('USAGE', `「${quoted(one)}」不能当密钥或角色的名字`, {
        hint: '用字母、数字、点、横线、冒号和下划线，不超过 64 个字。',
      });
  const keys = readKeys(file);
  if (keys.some((key) => key.name === name))
    throw new XiheError('KEY_EXISTS', `已经有叫 ${name} 的密钥`, { hint: `换个名字，或先 xihe keys remove ${name}。` });
  const secret = `${PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}`;
  writeKeys(file, [...keys, { name, hash: hashOf(secret), projects, roles, created: new Date().toISOString() }]);
  return secret;
}

/** Removes a key. @throws XiheError KEY_NOT_FOUND, CONFIG_INVALID, STATE_UNWRITABLE */
export function removeKey(file: string, name: string): void {
  const keys = readKeys(file);
  const left = keys.filter((key) => key.name !== name);
  if (left.length === keys.length)
    throw new XiheError('KEY_NOT_FOUND', `没有叫「${quoted(name)}」的密钥`, { hint: '用 xihe keys list 看有哪些。' });
  writeKeys(file, left);
}

function writeKeys(file: string, keys: readonly KeptKey[]): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (cause) {
    throw new XiheError('STATE_UNWRITABLE', `密钥清单写不进去：${file}（${messageOf(cause)}）`, {
      hint: '给这个目录写权限，或用 XIHE_SERVE_KEYS_FILE 指到别处。',
      cause,
    });
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * The keys that open a running server: those of the file, as it is now, and those of `XIHE_SERVE_KEYS` (the same JSON). A file that breaks
 * while the server runs changes nothing until it is mended.
 */
export class KeyRing {
  readonly #file: string;
  readonly #fixed: readonly KeptKey[];
  #keys: readonly KeptKey[] = [];
  #stamp: string | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param roots folders of the projects: keys may not lie in one, where they would be committed or changed by whoever writes there
   * @param onBroken told why the file could not be read, in Chinese
   * @param now the clock, in milliseconds
   * @throws XiheError CONFIG_INVALID
   */
  constructor(
    roots: readonly string[],
    env: NodeJS.ProcessEnv = process.env,
    private readonly onBroken: (why: string) => void = () => {},
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#file = keysFile(env);
    assertOutside(this.#file, roots);
    this.#fixed = env.XIHE_SERVE_KEYS ? parseKeys(env.XIHE_SERVE_KEYS, '环境变量 XIHE_SERVE_KEYS') : [];
    this.#keys = readKeys(this.#file);
    this.#stamp = stampOf(this.#file);
  }

  /** Whether there is none, so that only this machine may ask. */
  get isEmpty(): boolean {
    this.#look();
    return this.#keys.length + this.#fixed.length === 0;
  }

  /** The key that somebody showed. Every key is compared, and each takes the same time, right or wrong. */
  find(secret: string): KeptKey | undefined {
    this.#look();
    const shown = createHash('sha256').update(secret).digest();
    let found: KeptKey | undefined;
    for (const list of [this.#keys, this.#fixed])
      for (const key of list) if (timingSafeEqual(shown, Buffer.from(key.hash, 'hex'))) found = key;
    return found;
  }

  #look(): void {
    const now = this.now();
    if (now - this.#lookedAt < KEYS_LOOK_MS) return;
    this.#lookedAt = now;
    const stamp = stampOf(this.#file);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#keys = readKeys(this.#file);
    } catch (e) {
      this.onBroken(messageOf(e));
    }
  }
}

function stampOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function assertOutside(file: string, roots: readonly string[]): void {
  const real = realOf(file);
  const root = roots.map(realOf).find((one) => {
    const inside = relative(one, real);
    return !inside.startsWith('..') && !isAbsolute(inside);
  });
  if (root === undefined || lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  throw new XiheError('CONFIG_INVALID', `密钥清单 ${file} 在项目 ${root} 里面`, {
    hint: '移到项目外面，再用 XIHE_SERVE_KEYS_FILE 指过去；在项目里会被提交，也会被能写项目的人改掉。',
  });
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
