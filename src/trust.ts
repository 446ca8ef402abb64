import { mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { messageOf, XiheError } from './errors.js';
import { readStateFile } from './stateFile.js';

/** Where a project's own settings would send something, or what of it they would run. */
export interface Destination {
  /** `embedding.baseUrl`. */
  setting: string;
  /** As it is written; of code that runs, what it is. Never holds a value of the environment. */
  address: string;
}

/** A destination that only the repository has chosen. */
export interface Untrusted extends Destination {
  /** The project's root, absolute, symlinks resolved. */
  project: string;
}

/** What is remembered, one a file: project → what of it is trusted. */
type Trust = Record<string, (Destination & { since: string })[]>;

/** The folder of the user's own settings: no repository reaches it. Not made here. */
export function userConfigDir(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME: xdg, HOME: home } = env;
  // A relative one is to be ignored, says its specification; here it would lie in the repository.
  const base = xdg && isAbsolute(xdg) ? xdg : join(home || homedir(), '.config');
  return join(base, 'xihe');
}

function trustFile(env: NodeJS.ProcessEnv): string {
  return join(userConfigDir(env), 'trust.json');
}

/**
 * Whether an address is this machine and nothing else. One strict pattern for all readers of addresses: they disagree about
 * everything that is written in another way (backslashes, names with dots, lists), and what is doubtful is no loopback.
 */
export function isLoopback(address: string): boolean {
  return /^(?:https?:\/\/)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?:\/[^\s\\]*)?$/i.test(address);
}

/**
 * An address for people: without what stands before the @, on one line.
 *
 * @param max characters
 */
export function shownAddress(address: string, max = SHOWN_CHARS): string {
  const plain = address.replace(/^(\w+:\/\/)[^/?#]*@/, '$1').replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
  return plain.length > max ? `${plain.slice(0, max)}…` : plain;
}

/** In messages; whoever is to agree sees more. */
const SHOWN_CHARS = 200;

/**
 * Whether the user has trusted a destination of a project: the same project (real path), setting and address. What the repository
 * changes afterwards is another one.
 */
export function isTrusted({ project, setting, address }: Untrusted, env: NodeJS.ProcessEnv = process.env): boolean {
  return (readTrust(env)[project] ?? []).some((one) => one.setting === setting && one.address === address);
}

/**
 * Remembers destinations of a project as trusted, and only these: what was trusted before and is not among them is forgotten.
 *
 * @param project absolute
 * @returns the file in which it is remembered
 * @throws XiheError STATE_UNWRITABLE
 */
export function trust(
  project: string,
  destinations: readonly Destination[],
  env: NodeJS.ProcessEnv = process.env,
): string {
  const since = new Date().toISOString().slice(0, 10);
  const { [project]: before = [], ...others } = readTrust(env);
  const kept = destinations.map(({ setting, address }) => {
    const known = before.find((one) => one.setting === setting && one.address === address);
    return known ?? { setting, address, since };
  });
  return writeTrust(kept.length === 0 ? others : { ...others, [project]: kept }, env);
}

/** What is trusted of a project. */
export function trustedOf(project: string, env: NodeJS.ProcessEnv = process.env): Destination[] {
  return readTrust(env)[project] ?? [];
}

/** A file that is broken, or not there, trusts nobody; so does a broken entry. */
function readTrust(env: NodeJS.ProcessEnv): Trust {
  try {
    const text = readStateFile(trustFile(env))?.toString('utf8') ?? '{}';
    const read = JSON.parse(text) as { projects?: Record<string, unknown> };
    const isOne = (one: unknown) => typeof (one as Destination | null)?.address === 'string';
    const projects = Object.entries(read.projects ?? {}).map(([project, list]) => [
      project,
      Array.isArray(list) ? list.filter(isOne) : [],
    ]);
    return Object.fromEntries(projects) as Trust;
  } catch {
    return {};
  }
}

function writeTrust(projects: Trust, env: NodeJS.ProcessEnv): string {
  const file = trustFile(env);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify({ projects }, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (cause) {
    throw new XiheError('STATE_UNWRITABLE', `记不下来：${file}（${messageOf(cause)}）`, {
      hint: '给这个目录写权限；或用环境变量设置地址，就不用信任项目里写的。',
      cause,
      details: { file },
    });
  }
  return file;
}

/** A project's root as trust knows it. */
export function projectOf(layerDir: string): string {
  const root = dirname(layerDir);
  try {
    return realpathSync(root);
  } catch {
    return root;
  }
}

/** Where the user sets an address that no repository can change. */
const VARIABLES: Record<string, string> = {
  'model.baseUrl': 'XIHE_BASE_URL',
  'embedding.baseUrl': 'XIHE_EMBED_BASE_URL',
  'milvus.address': 'XIHE_MILVUS_ADDRESS',
  'alerts.webhook': 'XIHE_ALERT_WEBHOOK',
  'dolphin.address': 'XIHE_DOLPHIN_ADDRESS',
};

/** The error for a destination that only the repository has chosen: nothing was sent there. */
export function untrustedError({ setting, address, project }: Untrusted): XiheError {
  const shown = shownAddress(address);
  const variable = VARIABLES[setting];
  const own = variable === undefined ? '' : `；要用自己的地址，设置环境变量 ${variable}`;
  return new XiheError(
    'UNTRUSTED_ADDRESS',
    `项目的设置 ${setting}（${shown}）还没有得到你的信任，什么都没有发给它；信得过就运行 xihe trust`,
    { hint: `xihe trust 会先列出会发什么、发到哪里，再问你${own}。`, details: { setting, address: shown, project } },
  );
}

/** @throws XiheError UNTRUSTED_ADDRESS when one of these settings is among the untrusted ones */
export function assertTrusted(untrusted: readonly Untrusted[] | undefined, ...settings: string[]): void {
  const found = untrusted?.find(({ setting }) => settings.includes(setting));
  if (found !== undefined) throw untrustedError(found);
}
