import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Folders of one test file; call {@link cleanUp} in afterAll. */
const made: string[] = [];

/** A new empty folder, symlinks resolved. */
export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-paths-')));
  made.push(dir);
  return dir;
}

export function cleanUp(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}

/** Writes files with their folders. */
export function writeTree(root: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** A project folder with these files and a state folder beside it. */
export function project(files: Record<string, string | Uint8Array> = {}): { root: string; stateDir: string } {
  const root = tempDir();
  writeTree(root, files);
  return { root, stateDir: join(tempDir(), 'state') };
}

/** Runs git in a folder with an identity and a fixed clock of its own. */
export function git(cwd: string, args: string[], options: { at?: number; input?: Uint8Array } = {}): string {
  const date = `@${options.at ?? 1_700_000_000} +0000`;
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(options.input ? { input: options.input } : {}),
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: '测试',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: '测试',
      GIT_COMMITTER_EMAIL: 'test@example.com',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
    },
  });
}

export function initRepository(root: string): void {
  git(root, ['init', '-q', '-b', 'main']);
}

/** Writes files and commits everything. */
export function commit(
  root: string,
  message: string,
  files: Record<string, string | Uint8Array> = {},
  at?: number,
): void {
  writeTree(root, files);
  git(root, ['add', '-A']);
  git(root, ['commit', '-q', '--allow-empty', '-m', message], at === undefined ? {} : { at });
}

/** A small generator of numbers in [0, 1) that repeats for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** GBK bytes of a text, by the decoder that Node has: every double byte is tried until it gives the character. */
export function gbk(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text)
    bytes.push(...(character.charCodeAt(0) < 0x80 ? [character.charCodeAt(0)] : gbkOf(character)));
  return Uint8Array.from(bytes);
}

let gbkTable: Map<string, [number, number]> | undefined;
function gbkOf(character: string): [number, number] {
  if (!gbkTable) {
    gbkTable = new Map();
    const decoder = new TextDecoder('gbk');
    for (let high = 0x81; high <= 0xfe; high++) {
      for (let low = 0x40; low <= 0xfe; low++) {
        const decoded = decoder.decode(Uint8Array.of(high, low));
        if (decoded.length === 1 && !gbkTable.has(decoded)) gbkTable.set(decoded, [high, low]);
      }
    }
  }
  const found = gbkTable.get(character);
  if (!found) throw new Error(`GBK has no ${character}`);
  return found;
}
