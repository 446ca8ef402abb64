/** Commands that try to stay, to fill or to eat: what the sandbox has to survive. */

/** What a command tries. */
export type Attack = 'fork' | 'setsid' | 'nohup' | 'ignore-term' | 'pipes' | 'gigabyte' | 'memory' | 'chain';

export interface HostileCommand {
  attack: Attack;
  /** A shell line. Everything that it starts or writes has the mark in its name or arguments. */
  shell: string;
  /** A number that stands in no other command. */
  mark: string;
}

/** How a command ends itself once it has done its harm. */
const ENDINGS = ['exit 0', 'sleep 0.2; exit 0', 'wait', 'exec sleep 600', 'kill -9 $$'];

type Body = (mark: string) => string;

/** A program of an interpreter as one shell word; the mark is an argument, so that each of its processes shows it. */
const python = (code: string) => (mark: string) => `python3 -c '${code}' ${mark}`;
const perl = (code: string) => (mark: string) => `perl -e '${code}' ${mark}`;
const node = (code: string) => (mark: string) => `node -e '${code}' ${mark}`;

const stray = (mark: string) =>
  `echo x > xihe-stray-${mark}; echo x > "$HOME/xihe-stray-${mark}"; mktemp -t xihe-stray-${mark}.XXXX;`;

/** A script that starts itself in a session of its own, and dies: nobody is there for longer than a look takes. */
const chainOf =
  (again: string): Body =>
  (mark) =>
    `printf '%s\\n' '#!/bin/sh' '${again}' > c${mark}.sh; chmod +x c${mark}.sh; setsid -f ./c${mark}.sh ${mark}`;

const BODIES: Record<Attack, Body[]> = {
  fork: [
    (m) => `sleep ${m} & sleep ${m} & sleep ${m} &`,
    (m) => `(sleep ${m} & (sleep ${m} & (sleep ${m} &)))`,
    (m) => `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep ${m} & done`,
    python(
      'import os,sys\nfor i in range(3):\n os.fork()\nos.execvp("sleep",["sleep",sys.argv[1]]) if os.fork()==0 else os._exit(0)',
    ),
    (m) => `${stray(m)} exec 3<&- ; sh -c 'sleep ${m} & sleep ${m} &' &`,
  ],
  setsid: [
    (m) => `setsid sleep ${m} & setsid -f sleep ${m}`,
    (m) => `env -i PATH="$PATH" setsid -f sleep ${m}; cd /; env -i /bin/sh -c 'setsid -f sleep ${m}'`,
    python(
      'import os,sys\nif os.fork()==0:\n os.setsid()\n if os.fork()==0:\n  os.chdir("/");os.execve("/bin/sleep",["sleep",sys.argv[1]],{})\n os._exit(0)',
    ),
    perl('use POSIX; if(!fork){setsid(); if(!fork){chdir "/"; %ENV=(); exec "sleep",$ARGV[0]} exit} exit'),
    node('require("child_process").spawn("sleep",[process.argv[1]],{detached:true,stdio:"ignore"}).unref()'),
  ],
  nohup: [
    (m) => `nohup sleep ${m} & `,
    (m) => `nohup sh -c 'echo x > xihe-stray-${m}; sleep ${m}' > "$TMPDIR/xihe-stray-${m}" 2>&1 &`,
    (m) => `nohup setsid -f sleep ${m} < /dev/null > /dev/null 2>&1`,
    (m) => `sleep ${m} & disown -a; nohup nice -n 19 sleep ${m} &`,
    (m) => `cd; nohup sh -c 'trap "" HUP TERM; while :; do sleep ${m}; done' &`,
  ],
  'ignore-term': [
    (m) => `trap "" TERM INT HUP QUIT; sleep ${m} & sleep ${m} &`,
    (m) => `sh -c 'trap "" TERM; while :; do sleep ${m}; done' & (trap "echo again" TERM; sleep ${m}) &`,
    python(
      'import os,signal,sys,time\nfor s in (1,2,3,15): signal.signal(s,signal.SIG_IGN)\nos.fork()\ntime.sleep(int(sys.argv[1]))',
    ),
    perl('$SIG{$_}="IGNORE" for qw(TERM INT HUP USR1 USR2); fork; sleep $ARGV[0] while 1'),
    node('for (const s of ["SIGTERM","SIGINT","SIGHUP"]) process.on(s,()=>{}); setInterval(()=>{},1e9)'),
  ],
  pipes: [
    (m) => `yes ${m} & yes ${m} >&2 & sleep ${m}`,
    (m) => `while :; do echo ${m}; echo ${m} >&2; done`,
    (m) => `yes ${m} | tee /dev/stderr | cat & sleep ${m}`,
    (m) => `mkfifo p${m}; cat p${m} & (exec 9> p${m}; sleep ${m}) & cat /dev/zero > /dev/stderr`,
    python('import os,sys\nwhile os.write(1,b"x"*65536) and os.write(2,b"y"*65536): pass'),
  ],
  gigabyte: [
    (m) => `head -c 1073741824 /dev/zero; : ${m}`,
    (m) => `yes ${m} | head -c 1073741824`,
    (m) => `head -c 1073741824 /dev/zero | tr '\\0' '\\n' >&2; : ${m}`,
    (m) => `dd if=/dev/zero bs=1M count=1024 2>/dev/null & dd if=/dev/zero bs=1M count=1024 >&2; : ${m}`,
    node('const b=Buffer.alloc(1<<20,120); const f=()=>process.stdout.write(b,f); f()'),
  ],
  memory: [
    python('a=[]\nwhile 1: a.append(bytearray(b"x"*(1<<23)))'),
    perl('my @a; push @a, "x" x (1<<23) while 1'),
    node('const a=[]; for(;;) a.push(Buffer.alloc(1<<23,1))'),
    (m) => `tail /dev/zero; : ${m}`,
    python('import os\nos.fork();os.fork()\na=[]\nwhile 1: a.append(bytearray(b"x"*(1<<22)))'),
  ],
  chain: [
    chainOf('exec setsid -f "$0" "$@"'),
    (m) => chainOf(`setsid -f env -i PATH=/usr/bin:/bin "$PWD/c${m}.sh" "$@"; exit 0`)(m),
    python('import os,sys\nwhile 1:\n if os.fork(): os._exit(0)\n os.setsid()'),
    perl('use POSIX; $SIG{HUP}="IGNORE"; while(1){ fork and POSIX::_exit(0); setsid() }'),
    perl('use POSIX; for(1..4){last if !fork} while(1){ fork and POSIX::_exit(0); setsid(); chdir "/"; %ENV=() }'),
  ],
};

/**
 * Every attack in each of its forms with each ending.
 *
 * @param seed begins the marks, so that two runs at once do not see each other's
 * @returns 200 commands, attacks one after the other
 */
export function hostileCommands(seed: number): HostileCommand[] {
  let mark = seed;
  return (Object.keys(BODIES) as Attack[]).flatMap((attack) =>
    BODIES[attack].flatMap((body) =>
      ENDINGS.map((ending) => {
        const own = String(mark++);
        return { attack, mark: own, shell: `${body(own)}\n${ending}` };
      }),
    ),
  );
}
