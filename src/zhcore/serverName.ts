import { hostname } from 'node:os';
import { basename } from 'node:path';
import { runGit } from '../history/index.js';
import { stableHash } from '../text/index.js';

/** Longest wait for git, in milliseconds: it reads one small file. */
const GIT_MS = 2_000;

/**
 * The name of a project on a server when the settings give none: its folder's name and what tells it from others. Clones of one
 * repository share it on all machines (its `origin`, and where in it the project lies); a project without an origin that others could
 * name has it for itself (machine and real path). So two different ones never meet, whatever their folders are called.
 *
 * @param root absolute, symlinks resolved
 */
export async function serverNameOf(root: string, signal?: AbortSignal): Promise<string> {
  const options = { cwd: root, timeoutMs: GIT_MS, ...(signal ? { signal } : {}) };
  const ask = async (...args: string[]) => {
    const result = await runGit(args, options);
    return result.outcome === 'ok' ? result.stdout.toString('utf8').trim() : undefined;
  };
  const origin = originName((await ask('config', '--get', 'remote.origin.url')) ?? '');
  const prefix = origin === undefined ? undefined : await ask('rev-parse', '--show-prefix');
  if (origin === undefined || prefix === undefined) return `${basename(root)}-${stableHash(`${hostname()}\0${root}`)}`;
  const inside = prefix.replace(/\/$/, '');
  // The folder may have another name in each clone.
  const name = (inside === '' ? origin : inside).split('/').at(-1) as string;
  return `${name}-${stableHash(`${origin}\0${inside}`)}`;
}

/**
 * A remote as all clones name it, however they reach it: `github.com/org/repo`.
 *
 * @returns undefined for a path on one machine, and what is no address
 */
export function originName(url: string): string | undefined {
  const [, scheme, host, path] =
    /^(https?|ssh|git):\/\/(?:[^@/]*@)?([^/]+)\/(.+)$/i.exec(url) ?? scpLike.exec(url) ?? [];
  if (host === undefined || path === undefined) return undefined;
  // The port of ssh is another one than that of the web address of the same repository.
  const isWeb = scheme?.toLowerCase().startsWith('http') === true;
  const server = host.toLowerCase().replace(isWeb ? /:(?:80|443)$/ : /:\d+$/, '');
  return `${server}/${path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/^\/+/, '')}`;
}

/** `git@github.com:org/repo.git`; one letter before the colon is a drive of Windows. */
const scpLike = /^()(?:[^@/\s]+@)?([^/:\s]{2,}):(?!\/\/)(.+)$/;
