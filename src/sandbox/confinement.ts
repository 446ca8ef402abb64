import { spawn } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findProgram } from './command.js';
import { type KeeperKind, keeperOf } from './keeper.js';

/** What a confined command may see and touch. Absolute paths. */
export interface Cage {
  cwd: string;
  /** Writable beside `cwd`. */
  writable: readonly string[];
  /** Visible (not writable) although they lie in the home folder or in /tmp. */
  readable: readonly string[];
  /** Not visible, but for what `readable` and `writable` name in it. */
  hidden: readonly string[];
  network: boolean;
  /** `PATH` of the command: programs installed in the home folder stay visible. */
  path: string;
}

/** How commands are confined on this machine, and why. */
export interface ConfinementStatus {
  kind: 'bwrap' | 'process-group';
  /** One Chinese sentence for `xihe doctor` and reports. */
  why: string;
  /** Absolute path of bwrap, when it is used. */
  bwrap?: string;
  /** What keeps the processes of a command in a copy together, so that none is left behind. */
  keeper: KeeperKind;
}

/** What follows for commands of a model where nothing confines them. */
const UNPROTECTED = '模型的命令只限只读和测试类；超过 50 MB 的依赖目录在副本里是链接，命令改得到原件';

/** A working bwrap answers in 20 ms; one that hangs must not hold up the first command. */
const PROBE_TIMEOUT_MS = 5_000;

/** Tool folders in the home folder: without them neither Node nor JDK, Go, Rust or Python are found. No secrets inside. */
const HOME_TOOLS = [
  ...[
    '.nvm',
    '.volta',
    '.fnm',
    '.asdf',
    '.sdkman',
    '.jenv',
    '.pyenv',
    '.rbenv',
    '.rustup',
    '.cargo',
    '.bun',
    '.deno',
    'go',
    'sdk',
  ],
  ...[
    '.local/bin',
    '.local/lib',
    '.local/share/fnm',
    '.local/share/mise',
    '.local/share/uv',
    '.local/share/pipx',
    '.local/share/pnpm',
  ],
  ...[
    '.m2/repository',
    '.m2/wrapper',
    '.gradle/wrapper',
    '.gradle/caches',
    '.ivy2/cache',
    '.conda',
    'miniconda3',
    'anaconda3',
  ],
];

/** Secrets that stay hidden even where the folder around them is shown. Relative to the home folder. */
const HOME_SECRETS = [
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.docker',
    '.config/gh',
    '.config/gcloud',
    '.config/git/credentials',
    '.password-store',
  ],
  ...[
    '.netrc',
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.git-credentials',
    '.gitconfig',
    '.pgpass',
    '.my.cnf',
    '.bash_history',
    '.zsh_history',
  ],
  ...[
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.m2/settings.xml',
    '.m2/settings-security.xml',
    '.gradle/gradle.properties',
  ],
];

/** Key files outside the home folder; a root user could read them. */
const SYSTEM_SECRETS = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/ssl/private',
  '/etc/ssh',
  '/etc/sudoers',
  '/etc/sudoers.d',
];

/** Parts of /run that hold programs or name resolution, not control sockets. */
const RUN_PROGRAMS = ['/run/current-system', '/run/opengl-driver', '/run/host'];
const RUN_NETWORK = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager'];

let probed: Promise<ConfinementStatus> | undefined;

/**
 * Finds out once whether bwrap exists and works here (it does not inside many containers).
 * `XIHE_SANDBOX=process-group` turns it off, `process-table` also what keeps processes together instead.
 */
export function confinementStatus(env: NodeJS.ProcessEnv = process.env): Promise<ConfinementStatus> {
  if (env.XIHE_SANDBOX === 'process-group' || env.XIHE_SANDBOX === 'process-table')
    return unconfined(`XIHE_SANDBOX=${env.XIHE_SANDBOX}：不用 bwrap`, env);
  probed ??= probe(env);
  return probed;
}

async function probe(env: NodeJS.ProcessEnv): Promise<ConfinementStatus> {
  if (process.platform !== 'linux') return unconfined('这个系统没有 bwrap：命令不断网，也不隔离文件', env);
  const bwrap = findProgram('bwrap', '/', env);
  if (bwrap === null)
    return unconfined(
      '没有安装 bwrap：命令不断网，也不隔离文件；装上 bubblewrap 即可（Debian/Ubuntu：apt install bubblewrap）',
      env,
    );
  const cage: Cage = { cwd: '/', writable: [], readable: [], hidden: [], network: false, path: env.PATH ?? '' };
  const problem = await tryRun(bwrap, [...bwrapArgs(cage), '/bin/sh', '-c', 'exit 0']);
  if (problem === null)
    return {
      kind: 'bwrap',
      why: '用 bwrap 隔离：断网，看不到主目录和密钥，只有工作目录可写',
      bwrap,
      keeper: 'pid-namespace',
    };
  return unconfined(`有 bwrap 但在这里用不了（${problem}），多半是容器没有给权限`, env);
}

/** What becomes of the processes of a command that nothing else confines, in Chinese. */
const KEPT: Record<KeeperKind, string> = {
  'pid-namespace': '命令的进程关在自己的进程命名空间里（unshare），结束时一个不留',
  subreaper: '命令的进程由一个收养进程（perl，PR_SET_CHILD_SUBREAPER）看着，结束时一个不留',
  'process-table': '命令的进程按进程表、进程组和标记清理，一个接一个飞快换会话的可能漏掉',
};

/** How a command was confined and kept, in a few Chinese words for reports. */
export function howItRan({
  confinement,
  keeper,
}: {
  confinement: ConfinementStatus['kind'];
  keeper: KeeperKind;
}): string {
  if (confinement === 'bwrap') return '在副本里，bwrap 隔离';
  const kept = {
    'pid-namespace': '进程在命名空间里',
    subreaper: '进程有收养进程看着',
    'process-table': '进程按进程表清理',
  };
  return `在副本里，没有隔离文件和网络，${kept[keeper]}`;
}

async function unconfined(why: string, env: NodeJS.ProcessEnv): Promise<ConfinementStatus> {
  const keeper = (await keeperOf('pid-namespace', env))?.kind ?? 'process-table';
  return { kind: 'process-group', keeper, why: `${why}；${KEPT[keeper]}；${UNPROTECTED}` };
}

function tryRun(file: string, args: string[]): Promise<string | null> {
  return new Promise((done) => {
    const child = spawn(file, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: PROBE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr.on('data', (d: Buffer) => {
      said += d.toString('latin1');
    });
    child.on('error', (e) => done(e.message));
    child.on('close', (code) => done(code === 0 ? null : said.trim().split('\n')[0] || `退出码 ${code}`));
  });
}

/**
 * The flags of bwrap for one command, up to and including `--`.
 *
 * The whole system is visible read-only; the home folders, /tmp and /run are empty and private to the run (what a
 * command leaves there is gone with it); only `cwd` and `writable` can be written. Capabilities of a root user are
 * dropped but for those that let it write other users' files inside the writable folders.
 */
export function bwrapArgs(cage: Cage): string[] {
  const args = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--die-with-parent',
    '--unshare-pid',
    '--unshare-ipc',
  ];
  if (!cage.network) args.push('--unshare-net');
  if (process.getuid?.() === 0) {
    args.push('--cap-drop', 'ALL');
    for (const cap of ['CAP_DAC_OVERRIDE', 'CAP_CHOWN', 'CAP_FOWNER']) args.push('--cap-add', cap);
  }
  const homes = homeFolders();
  const hidden = [...homes, ...realFolders(['/home', '/root', '/tmp', '/var/tmp', '/run', '/var/run', tmpdir()])];
  for (const dir of new Set(hidden)) args.push('--tmpfs', dir);
  const shown = [
    ...toolFolders(homes, cage.path),
    ...repositoryAround(cage.cwd, homes),
    ...RUN_PROGRAMS,
    ...(cage.network ? RUN_NETWORK : []),
    ...cage.readable,
  ];
  const closed = new Set(realFolders(cage.hidden).filter((dir) => !holdsTools(dir, cage.path)));
  // What is named as readable inside a closed folder, or around it, keeps its place in the order.
  for (const dir of outermostFirst([...shown, ...closed]))
    args.push(...(closed.has(dir) ? ['--tmpfs', dir] : ['--ro-bind', dir, dir]));
  const writable = outermostFirst([cage.cwd, ...cage.writable]).filter((dir) => dir !== '/');
  for (const dir of writable) args.push('--bind', dir, dir);
  args.push(...maskSecretFiles(homes, [...shown, ...writable]));
  args.push('--chdir', realpathSync(cage.cwd), '--');
  return args;
}

/** Whether the programs that commands need lie below a folder: `/`, `/usr`, a folder with its own Node. */
function holdsTools(dir: string, path: string): boolean {
  const bins = [process.execPath, '/bin/sh', '/usr/bin', ...path.split(delimiter)].filter((p) => p.startsWith('/'));
  return bins.some((bin) => `${bin}/`.startsWith(dir === '/' ? dir : `${dir}/`) && !bin.includes('/node_modules/.bin'));
}

function homeFolders(): string[] {
  return realFolders([homedir(), process.env.HOME ?? '']).filter((dir) => dir !== '/');
}

function realFolders(paths: readonly string[]): string[] {
  const real = new Set<string>();
  for (const path of paths) {
    try {
      if (path !== '' && statSync(path).isDirectory()) real.add(realpathSync(path));
    } catch {
      // Not there, or not ours to see: then there is nothing to hide either.
    }
  }
  return [...real];
}

/** Real, existing paths, parents before children (a later bind of a parent would cover the child). */
function outermostFirst(paths: readonly string[]): string[] {
  const real = new Set<string>();
  for (const path of paths) if (existsSync(path)) real.add(realpathSync(path));
  return [...real].sort((a, b) => a.length - b.length);
}

/** Installed tools in the home folders: the known ones, and the folder around each entry of PATH. */
function toolFolders(homes: readonly string[], path: string): string[] {
  const dirs = homes.flatMap((home) => HOME_TOOLS.map((tool) => join(home, tool)));
  if (existsSync('/home/linuxbrew')) dirs.push('/home/linuxbrew');
  const own = [dirname(process.execPath), ...path.split(delimiter)].filter((d) => d.startsWith('/') && existsSync(d));
  for (const bin of own.map((d) => realpathSync(d))) {
    const home = [...homes, '/home', '/root', '/tmp'].find((h) => bin.startsWith(`${h}/`));
    if (home === undefined) continue;
    const around = dirname(bin);
    // `~/bin` must not show the whole home folder.
    dirs.push(around === home || isHomeSecret(around, homes) || homes.some((h) => h.startsWith(around)) ? bin : around);
  }
  return dirs;
}

/** The git work tree around a folder: a package of a monorepo needs what lies above it. Never a whole home folder. */
function repositoryAround(cwd: string, homes: readonly string[]): string[] {
  for (let dir = realpathSync(cwd); dirname(dir) !== dir && !homes.includes(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return [dir];
  }
  return [];
}

function isHomeSecret(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => HOME_SECRETS.some((s) => path === join(home, s)));
}

function maskSecretFiles(homes: readonly string[], shown: readonly string[]): string[] {
  const args: string[] = [];
  const inHome = homes.flatMap((home) => HOME_SECRETS.map((s) => join(home, s)));
  const visible = inHome.filter((s) => shown.some((dir) => s === dir || s.startsWith(`${dir}/`) || dir === '/'));
  for (const secret of [...visible, ...SYSTEM_SECRETS]) {
    if (!existsSync(secret)) continue;
    const real = realpathSync(secret);
    args.push(...(statSync(real).isDirectory() ? ['--tmpfs', real] : ['--ro-bind', '/dev/null', real]));
  }
  return args;
}
