import { join } from 'node:path';
import * as z from 'zod';
import { LEADS_OUT, leadsOut } from '../../inside.js';
import { readStateFile } from '../../stateFile.js';
import { isSecretName, stableHash } from '../../text/index.js';
import { isTrusted, projectOf, type Untrusted, userConfigDir } from '../../trust.js';
import { parseYaml } from '../../yaml.js';
import { faultsOf } from '../../zod-zh.js';
import { DEFAULT_TOOL_SECONDS } from '../limits.js';
import type { TeamToolProblem } from '../team-tools.js';

/** Where a repository declares its MCP servers, in the form that all clients share. */
export const MCP_FILE = '.mcp.json';
/** Larger is no list of servers. Bytes. */
const MAX_FILE_BYTES = 256 * 1024;
/** More servers than this nobody has looked at; each is a process or a connection. */
const MAX_SERVERS = 16;

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** One server. Other clients keep keys of their own here (what they approve by themselves, say): they mean nothing to us. */
const serverSchema = z
  .object({
    type: z.enum(['stdio', 'http', 'streamable-http', 'sse']).optional(),
    command: z.string().min(1).optional(),
    args: z.array(text).default([]),
    env: z.record(z.string(), text).default({}),
    cwd: z.string().min(1).optional(),
    url: z.string().min(1).optional(),
    headers: z.record(z.string(), text).default({}),
    /** Milliseconds from 1,000 on, else seconds: clients differ. */
    timeout: z.number().positive().optional(),
    disabled: z.boolean().default(false),
  })
  .refine((s) => (s.command === undefined) !== (s.url === undefined), {
    path: ['command'],
    message: '和 url 要写一个，且只写一个',
  });

const fileSchema = z.object({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

type Written = z.infer<typeof serverSchema>;

/** How a server is reached; `auto` is a URL without a type. */
export type McpKind = 'stdio' | 'http' | 'sse' | 'auto';

/** A server as it is declared; nothing of it has been started or called. */
export interface McpServer {
  /** As it is written. */
  name: string;
  /** The first part of its tools' names. */
  prefix: string;
  kind: McpKind;
  written: Written;
  /** `.mcp.json#github`. */
  source: string;
  /** Time limit of one call, in ms. */
  timeoutMs: number;
  /** What has to be trusted; undefined for servers of the user's own file. */
  destination: Untrusted | undefined;
  trusted: boolean;
}

/** A server with the environment's values put in. Never shown, never written down. */
export interface McpTarget {
  command: string | undefined;
  args: string[];
  env: Record<string, string>;
  cwd: string | undefined;
  url: string | undefined;
  headers: Record<string, string>;
  /** Values that must not be seen in results and errors. */
  secrets: string[];
}

export interface McpServers {
  servers: McpServer[];
  problems: TeamToolProblem[];
}

/**
 * The MCP servers of a project: those of its `.mcp.json`, which is somebody else's word until the user has trusted it, and those of the
 * user's own `mcp.json` beside `trust.json`, which win. A broken server is a problem; the others stay.
 *
 * @param root the project, absolute
 */
export function loadMcpServers(root: string, layerDir: string, env: NodeJS.ProcessEnv = process.env): McpServers {
  const project = projectOf(layerDir);
  const own = readServers(join(userConfigDir(env), 'mcp.json'), '~/.config/xihe/mcp.json', undefined, env);
  const path = join(root, MCP_FILE);
  const theirs = leadsOut(root, path)
    ? { servers: [], problems: [{ file: MCP_FILE, line: 1, reason: LEADS_OUT }] }
    : readServers(path, MCP_FILE, project, env);
  const taken = new Set(own.servers.map(({ name }) => name));
  const servers = [...own.servers, ...theirs.servers.filter(({ name }) => !taken.has(name))];
  return { servers: withPrefixes(servers), problems: [...own.problems, ...theirs.problems] };
}

/** `xihe mcp` in a list of servers is written for other agents; to us it would only say again what we know. */
function isOurselves({ command, args }: Written): boolean {
  const argv = [command ?? '', ...args];
  const at = argv.findIndex((part) => /(?:^|[\\/])xihe$/.test(part));
  return at >= 0 && argv[at + 1] === 'mcp';
}

function readServers(path: string, file: string, project: string | undefined, env: NodeJS.ProcessEnv): McpServers {
  const bytes = readStateFile(path);
  if (bytes === undefined) return { servers: [], problems: [] };
  const fault = (line: number, reason: string): McpServers => ({ servers: [], problems: [{ file, line, reason }] });
  if (bytes.length > MAX_FILE_BYTES) return fault(1, `文件超过 ${MAX_FILE_BYTES / 1024} KB，没有读`);
  const written = bytes.toString('utf8').replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch (e) {
    return fault(lineOfFault(written, e), '不是合法的 JSON：检查引号、逗号和括号，不能写注释');
  }
  // JSON is YAML, as far as lines go.
  const lines = parseYaml(written, 'core');
  const lineOf = (keys: PropertyKey[]) => (lines.ok ? lines.lineOf(keys) : 1);
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) return fault(lineOf(['mcpServers']), '应当是 {"mcpServers": {"名字": {…}}}');
  const all = Object.entries(parsed.data.mcpServers);
  const found: McpServers = { servers: [], problems: [] };
  for (const [name, raw] of all.slice(0, MAX_SERVERS)) {
    const server = serverSchema.safeParse(raw);
    if (server.success) {
      if (!server.data.disabled && !isOurselves(server.data))
        found.servers.push(serverOf(name, server.data, file, project, env));
      continue;
    }
    const faults = faultsOf(server.error, serverSchema);
    const at = ['mcpServers', name, ...(faults[0]?.path ?? [])];
    found.problems.push({
      file,
      line: lineOf(at),
      reason: `${name}：${faults.map(({ reason }) => reason).join('；')}`,
    });
  }
  if (all.length > MAX_SERVERS)
    found.problems.push({ file, line: 1, reason: `有 ${all.length} 个服务器，只用前 ${MAX_SERVERS} 个` });
  return found;
}

function lineOfFault(written: string, e: unknown): number {
  const at = /position (\d+)/.exec(e instanceof Error ? e.message : '')?.[1];
  return at === undefined ? 1 : written.slice(0, Number(at)).split('\n').length;
}

function serverOf(
  name: string,
  written: Written,
  file: string,
  project: string | undefined,
  env: NodeJS.ProcessEnv,
): McpServer {
  const source = `${file}#${name}`;
  const destination = project === undefined ? undefined : { project, setting: source, address: addressOf(written) };
  return {
    name,
    prefix: '',
    kind: kindOf(written),
    written,
    source,
    timeoutMs: timeoutOf(written.timeout),
    destination,
    trusted: destination === undefined || isTrusted(destination, env),
  };
}

function kindOf({ type, command }: Written): McpKind {
  if (command !== undefined) return 'stdio';
  if (type === 'sse') return 'sse';
  return type === 'http' || type === 'streamable-http' ? 'http' : 'auto';
}

function timeoutOf(timeout: number | undefined): number {
  if (timeout === undefined) return DEFAULT_TOOL_SECONDS * 1000;
  return timeout >= 1000 ? timeout : timeout * 1000;
}

/**
 * What is trusted: all that decides what is started or called, as it is written. A secret that somebody wrote down is kept and shown by
 * its hash only.
 */
function addressOf({ command, args, env, cwd, url, headers }: Written): string {
  const shown = command === undefined ? { url, headers: hidden(headers) } : { command, args, env: hidden(env), cwd };
  return JSON.stringify(shown);
}

function hidden(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      holdsSecret(name) && !VARIABLE.test(value) ? `#${stableHash(value)}` : value,
    ]),
  );
}

function holdsSecret(name: string): boolean {
  return isSecretName(name) || /^(?:proxy-)?authorization$|^cookie$/i.test(name);
}

/** `${NAME}` or `${NAME:-instead}`, as other clients write it. */
const VARIABLE = /\$\{(\w+)(?::-([^}]*))?\}/;

/** The variables that a server's declaration names. */
export function variablesOf(address: string): string[] {
  return [...new Set([...address.matchAll(new RegExp(VARIABLE, 'g'))].map(([, name]) => name!))];
}

/** A secret that is shorter is found in too many texts by chance. Characters. */
const MIN_SECRET = 6;

/**
 * Puts the environment's values in.
 *
 * @returns the target, or in `missing` the variables that are not set and have no value to stand in for them
 */
export function expanded(
  { written }: McpServer,
  env: NodeJS.ProcessEnv,
): { target: McpTarget } | { missing: string[] } {
  const missing = new Set<string>();
  const secrets = new Set<string>();
  const fill = (raw: string, isSecret = false) => {
    const value = raw.replace(new RegExp(VARIABLE, 'g'), (_, name: string, instead: string | undefined) => {
      const set = env[name] || instead;
      if (set === undefined) missing.add(name);
      else if (isSecretName(name)) secrets.add(set);
      return set ?? '';
    });
    if (isSecret) secrets.add(value.replace(/^(?:Bearer|Basic|Token)\s+/i, ''));
    return value;
  };
  const fillAll = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, raw]) => [name, fill(raw, holdsSecret(name))]));
  const target = {
    command: written.command === undefined ? undefined : fill(written.command),
    args: written.args.map((arg) => fill(arg)),
    env: fillAll(written.env),
    cwd: written.cwd === undefined ? undefined : fill(written.cwd),
    url: written.url === undefined ? undefined : fill(written.url),
    headers: fillAll(written.headers),
  };
  if (missing.size > 0) return { missing: [...missing] };
  return { target: { ...target, secrets: [...secrets].filter((secret) => secret.length >= MIN_SECRET) } };
}

/** Names of servers as the first part of tools' names: each its own, whatever people call theirs. */
function withPrefixes(servers: McpServer[]): McpServer[] {
  const used = new Set<string>();
  return servers.map((server) => {
    const plain = nameOf(server.name, MAX_PREFIX);
    const prefix = plain === '' || used.has(plain) ? `${plain || 'mcp'}_${stableHash(server.name).slice(0, 6)}` : plain;
    used.add(prefix);
    return { ...server, prefix };
  });
}

/** Room for a hash and the tool's own name within the 64 characters that endpoints take. */
const MAX_PREFIX = 20;

/** A name of somebody else's as a word that tools' names may hold: lower case letters, digits, single underscores. */
export function nameOf(name: string, max: number): string {
  const plain = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, max);
  return plain.replace(/^[_0-9]+|_+$/g, '');
}
