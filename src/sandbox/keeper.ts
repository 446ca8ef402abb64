import { spawn } from 'node:child_process';
import { type Command, findProgram } from './command.js';

/**
 * What keeps the processes of a command together where bwrap does not. Both ways need no privileges, and give the same promise: whoever
 * loses its parent becomes a child of ours, so nothing leaves the tree, however fast it forks.
 *
 * - `pid-namespace`: the command has a process table of its own (unshare(1)); when its first process dies, the kernel kills all.
 * - `subreaper`: a few lines of Perl take in orphans (prctl(2), PR_SET_CHILD_SUBREAPER) and kill children until there is none left.
 * - `process-table`: nothing keeps them; they are looked for by marks.
 */
export type KeeperKind = 'pid-namespace' | 'subreaper' | 'process-table';

/** How a command is wrapped so that its processes stay together. */
export interface Keeper {
  kind: Exclude<KeeperKind, 'process-table'>;
  /** Processes of ours above the command, from the one that is spawned on. */
  helpers: number;
  /** Which of them orphans become children of: its place among the helpers. */
  reaper: number;
  /** Ends everything when it reads a line on descriptor 3, and ends itself last. */
  endsOnWord: boolean;
  wrap(command: Command): Command;
}

/** A working one answers in 20 ms; one that hangs must not hold up the first command. */
const PROBE_TIMEOUT_MS = 5_000;

/** What works on this machine. */
export interface Keepers {
  namespace: Keeper | null;
  subreaper: Keeper | null;
}

let probed: Promise<Keepers> | undefined;

/** Finds out once which of the two work here; none outside Linux. */
export function keepers(env: NodeJS.ProcessEnv = process.env): Promise<Keepers> {
  probed ??= probe(env);
  return probed;
}

async function probe(env: NodeJS.ProcessEnv): Promise<Keepers> {
  if (process.platform !== 'linux') return { namespace: null, subreaper: null };
  const [namespace, subreaper] = await Promise.all([probeNamespace(env), probeSubreaper(env)]);
  return { namespace, subreaper };
}

/**
 * The flags of unshare(1), from util-linux 2.38 on for all of them. Whoever is root already needs no user namespace, in which files of
 * others would belong to nobody; everybody else stays who they are in it (a program that thinks it is root behaves differently).
 */
const PID_FLAGS = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const USER_FLAGS = ['--user', '--map-current-user'];

async function probeNamespace(env: NodeJS.ProcessEnv): Promise<Keeper | null> {
  const unshare = findProgram('unshare', '/', env);
  if (unshare === null) return null;
  const tried = process.getuid?.() === 0 ? [PID_FLAGS, [...USER_FLAGS, ...PID_FLAGS]] : [[...USER_FLAGS, ...PID_FLAGS]];
  for (const flags of tried) {
    // In a table of its own, and with the files of /proc that belong to it: shells open /proc/self/fd.
    const check = '[ "$$" = 1 ] && [ -r /proc/self/stat ] && [ -w /dev/null ]';
    if (await works(unshare, [...flags, '--', '/bin/sh', '-c', check]))
      return {
        kind: 'pid-namespace',
        helpers: 2,
        reaper: 1,
        endsOnWord: false,
        wrap: ({ file, args }) => ({
          file: unshare,
          args: [...flags, '--', '/bin/sh', '-c', STATUS_WRAPPER, 'xihe', file, ...args],
        }),
      };
  }
  return null;
}

/** Number of the system call prctl by machine (Linux, syscalls(2)). */
const PRCTL: Partial<Record<NodeJS.Architecture, number>> = {
  x64: 157,
  arm64: 167,
  riscv64: 167,
  loong64: 167,
  ia32: 172,
  arm: 172,
  s390x: 172,
  ppc64: 171,
};

async function probeSubreaper(env: NodeJS.ProcessEnv): Promise<Keeper | null> {
  const perl = findProgram('perl', '/', env);
  const prctl = PRCTL[process.arch];
  if (perl === null || prctl === undefined) return null;
  const check = `exit(syscall(${prctl}, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0) == 0 && -r "/proc/$$/task/$$/children" ? 0 : 1)`;
  if (!(await works(perl, ['-MPOSIX', '-e', check]))) return null;
  return {
    kind: 'subreaper',
    helpers: 1,
    reaper: 0,
    endsOnWord: true,
    wrap: ({ file, args }) => ({ file: perl, args: ['-e', SUBREAPER, String(prctl), file, ...args] }),
  };
}

/**
 * The strongest keeper that works here.
 *
 * @param most none stronger than this: what acts on real systems must see their processes, which a namespace hides
 */
export async function keeperOf(most: KeeperKind, env: NodeJS.ProcessEnv = process.env): Promise<Keeper | null> {
  if (most === 'process-table' || env.XIHE_SANDBOX === 'process-table') return null;
  const { namespace, subreaper } = await keepers(env);
  return (most === 'pid-namespace' ? namespace : null) ?? subreaper;
}

function works(file: string, args: string[]): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(file, args, { stdio: 'ignore', timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL' });
    child.on('error', () => done(false));
    child.on('exit', (code) => done(code === 0));
  });
}

/**
 * Runs `"$@"` as the first process of a namespace and tells its exit status over descriptor 3 before anything ends, so that the
 * processes it left behind can be counted: when the first process ends, the kernel kills them all without a trace.
 *
 * The command gets neither descriptor 3 nor the wrapper's own stderr, where a shell would report signals.
 */
export const STATUS_WRAPPER = [
  'exec 5>&2 2>/dev/null',
  // A subshell, since dash applies the redirections of a plain command to itself and would report signals to fd 5.
  '(exec "$@" 2>&5 3>&- 5>&-)',
  's=$?',
  'exec 5>&-',
  'echo "$s" >&3',
  'read -r _ <&3',
].join('\n');

/** Of linux/prctl.h. */
const PR_SET_CHILD_SUBREAPER = 36;

/**
 * The same as a subreaper. It tells the status, and ends on a word or when we are gone: it kills its children, whose children then become
 * its own, until wait() says that there is none. That is a proof, not a look: nothing that the command started is left.
 *
 * The command leads a session of its own, so that `kill 0` does not reach us; our ignored signals are not its own.
 */
const SUBREAPER = `
use POSIX ();
my $prctl = shift @ARGV;
exit 125 if syscall($prctl + 0, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0) != 0;
$SIG{$_} = 'IGNORE' for qw(TERM INT HUP QUIT PIPE);
$SIG{CHLD} = sub { };
my $main = fork();
exit 125 if !defined $main;
if ($main == 0) {
  $SIG{$_} = 'DEFAULT' for qw(TERM INT HUP QUIT PIPE CHLD);
  POSIX::close(3);
  POSIX::setsid();
  exec { $ARGV[0] } @ARGV or POSIX::_exit(126);
}
POSIX::close($_) for 0 .. 2;
open(my $us, '+<&=', 3) or POSIX::_exit(125);
my $told = 0;
while (1) {
  while ((my $pid = waitpid(-1, POSIX::WNOHANG)) > 0) {
    next if $pid != $main || $told;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    syswrite($us, "$status\\n");
    $told = 1;
  }
  my $ready = '';
  vec($ready, 3, 1) = 1;
  my $n = select($ready, undef, undef, 0.05);
  next if $n <= 0;
  my $word;
  my $got = sysread($us, $word, 16);
  last if defined $got || !$!{EINTR};
}
while (1) {
  my $pid = waitpid(-1, POSIX::WNOHANG);
  last if $pid < 0;
  next if $pid > 0;
  if (open(my $list, '<', "/proc/$$/task/$$/children")) {
    my $line = <$list>;
    kill 'KILL', split(' ', $line) if defined $line;
    close($list);
  }
}
`;
