import type { Danger } from './types.js';

/** One line of the tables: the first rule of a program whose `when` holds (or has none) decides. */
export interface Rule {
  why: string;
  when?: (args: readonly string[], piped: boolean) => boolean;
}

type Rules = Readonly<Record<string, readonly Rule[]>>;

/** A program that runs another one. */
export type Wrapper =
  | { kind: 'shell'; atLeast: Danger; why: string }
  | { kind: 'text'; atLeast: Danger; why: string }
  /** `skip`: how many of its own arguments come before the program. */
  | { kind: 'prefix'; atLeast: Danger; why: string; skip: (args: readonly string[]) => number };

const hasFlag = (letters: string, ...long: string[]) => {
  const short = new RegExp(`^-[A-Za-z]*[${letters}]`);
  return (args: readonly string[]) =>
    args.some((a) => (short.test(a) && !a.startsWith('--')) || long.some((l) => a === l || a.startsWith(`${l}=`)));
};
/** The first argument that is no option: the subcommand. */
const sub = (args: readonly string[]) => args.find((a) => !a.startsWith('-')) ?? '';
const subIs =
  (...names: string[]) =>
  (args: readonly string[]) =>
    names.includes(sub(args));
const anyArg = (pattern: RegExp) => (args: readonly string[]) => args.some((a) => pattern.test(a));
const always = (why: string, names: string): Rules => Object.fromEntries(names.split(' ').map((n) => [n, [{ why }]]));
const forAll = (names: string, rules: readonly Rule[]): Rules =>
  Object.fromEntries(names.split(' ').map((n) => [n, rules]));

/** Options (with a value where the letter is listed in `valued`) and `X=1` settings before the wrapped program. */
const optionsThen =
  (valued: string, plain = 0) =>
  (args: readonly string[]): number => {
    let i = 0;
    while (i < args.length && (args[i]!.startsWith('-') || /^\w+=/.test(args[i]!)))
      i += args[i]!.length === 2 && valued.includes(args[i]![1]!) ? 2 : 1;
    return i + plain;
  };

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  ...Object.fromEntries(
    ['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'ash'].map((n) => [
      n,
      { kind: 'shell', atLeast: 'low', why: '只读' } as const,
    ]),
  ),
  eval: { kind: 'text', atLeast: 'medium', why: '执行拼出来的命令' },
  sudo: { kind: 'prefix', atLeast: 'high', why: '以管理员身份运行', skip: optionsThen('ugph') },
  doas: { kind: 'prefix', atLeast: 'high', why: '以管理员身份运行', skip: optionsThen('u') },
  su: { kind: 'prefix', atLeast: 'high', why: '换成别的用户运行', skip: (args) => args.length },
  env: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('uC') },
  nohup: { kind: 'prefix', atLeast: 'medium', why: '在后台一直运行', skip: () => 0 },
  setsid: { kind: 'prefix', atLeast: 'medium', why: '在后台一直运行', skip: optionsThen('') },
  time: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('of') },
  nice: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('n') },
  ionice: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('cn') },
  stdbuf: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('ioe') },
  timeout: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('ks', 1) },
  command: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('') },
  exec: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('a') },
  xargs: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('IinLPds') },
  watch: { kind: 'prefix', atLeast: 'medium', why: '一直重复运行', skip: optionsThen('n') },
  npx: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('p') },
  bunx: { kind: 'prefix', atLeast: 'low', why: '只读', skip: optionsThen('') },
  parallel: { kind: 'prefix', atLeast: 'medium', why: '批量运行命令', skip: optionsThen('j') },
};

const RISKY_SCRIPT =
  /(^|[:._-])(deploy|release|publish|rollback|restart|drop|destroy|purge|reset|prod|migrate)([:._-]|$)/i;
const CHECK_SCRIPT =
  /^(test|tests|lint|check|typecheck|type-check|tsc|verify|format:check|fmt:check|unit|spec|coverage)([:._-]|$)/i;

/** `npm run X`, `pnpm X`, `yarn X`, `bun run X`: the script's name. */
const scriptOf = (args: readonly string[]): string => {
  const words = args.filter((a) => !a.startsWith('-'));
  return (words[0] === 'run' || words[0] === 'run-script' ? words[1] : words[0]) ?? '';
};

const NODE_HIGH: readonly Rule[] = [
  { why: '发布软件包', when: subIs('publish', 'unpublish', 'deprecate', 'owner', 'dist-tag') },
  { why: '运行的脚本名看起来是发布、重置或改线上数据', when: (a) => RISKY_SCRIPT.test(scriptOf(a)) },
];
const NODE_LOW: readonly Rule[] = [
  { why: '运行测试或检查', when: (a) => subIs('test', 't', 'tst')(a) || CHECK_SCRIPT.test(scriptOf(a)) },
  { why: '只看依赖信息', when: subIs('ls', 'list', 'why', 'explain', 'outdated', 'bin', 'root', 'prefix') },
  { why: '只看版本', when: anyArg(/^(-v|--version|version)$/) },
];

/** Acts that can't be taken back, or that reach beyond this machine's files. */
export const HIGH_RULES: Rules = {
  rm: [
    { why: '递归删除', when: hasFlag('rR', '--recursive') },
    { why: '成批删除文件', when: anyArg(/[*?]|^[/~]$|^\/[^/]*$|^~/) },
  ],
  ...always('彻底覆盖或删除数据', 'shred wipefs dd mkfs mke2fs mkswap fdisk sfdisk parted format diskpart srm'),
  ...always('结束别的进程', 'kill pkill killall xkill taskkill skill'),
  ...always('关机或重启机器', 'reboot shutdown halt poweroff init telinit'),
  ...always('改防火墙或网络', 'iptables ip6tables nft ufw firewall-cmd ifconfig'),
  ...always('改系统账号', 'useradd userdel usermod groupadd groupdel passwd chpasswd visudo'),
  ...always('挂载或卸载磁盘', 'mount umount swapoff'),
  ...always('在别的机器上执行', 'ssh ansible ansible-playbook salt pdsh'),
  ...always('改线上资源', 'terraform pulumi cdk serverless eksctl'),
  chmod: [
    { why: '递归改权限', when: hasFlag('R', '--recursive') },
    { why: '放开所有权限', when: anyArg(/^[0-7]?777$|^a\+rwx$/) },
  ],
  chown: [{ why: '递归改属主', when: hasFlag('R', '--recursive') }],
  crontab: [{ why: '改定时任务', when: (a) => !a.includes('-l') }],
  find: [
    {
      why: '成批删除文件',
      when: (a) =>
        a.includes('-delete') ||
        (a.some((x) => /^-(exec|execdir|ok)$/.test(x)) && a.some((x) => /^(.*\/)?(rm|shred|unlink)$/.test(x))),
    },
  ],
  git: [
    {
      why: '强制推送会覆盖别人的提交',
      when: (a) =>
        gitSub(a) === 'push' && a.some((x) => /^(-f|--force.*|--mirror|--delete|-d|--prune)$|^\+|^:./.test(x)),
    },
    { why: '丢弃还没提交的改动', when: (a) => gitSub(a) === 'reset' && a.includes('--hard') },
    { why: '删除没被跟踪的文件', when: (a) => gitSub(a) === 'clean' && !hasFlag('n', '--dry-run')(a) },
    {
      why: '丢弃还没提交的改动',
      when: (a) =>
        (gitSub(a) === 'checkout' && (a.includes('--') || a.includes('.') || hasFlag('f', '--force')(a))) ||
        (gitSub(a) === 'restore' && !a.includes('--staged')),
    },
    {
      why: '删除分支、暂存或历史',
      when: (a) =>
        (gitSub(a) === 'branch' && hasFlag('D')(a)) ||
        (gitSub(a) === 'stash' && anyArg(/^(drop|clear)$/)(a)) ||
        ['filter-branch', 'filter-repo', 'update-ref'].includes(gitSub(a)) ||
        (['reflog', 'worktree'].includes(gitSub(a)) && anyArg(/^(expire|delete|remove|prune)$/)(a)),
    },
    { why: '用 git 别名执行任意命令', when: anyArg(/^alias\.[^=]*=!/) },
  ],
  docker: [
    {
      why: '删除或停掉容器、镜像、数据卷',
      when: (a) => anyArg(/^(rm|rmi|kill|stop|restart|prune|down|remove|pause)$/)(a),
    },
    { why: '推送镜像', when: subIs('push') },
    { why: '以特权运行容器', when: anyArg(/^--privileged$/) },
  ],
  kubectl: [
    {
      why: '改动集群',
      when: subIs(
        'delete',
        'apply',
        'create',
        'replace',
        'patch',
        'scale',
        'rollout',
        'drain',
        'cordon',
        'edit',
        'exec',
        'set',
        'annotate',
        'label',
        'taint',
        'run',
        'cp',
      ),
    },
  ],
  helm: [{ why: '改动集群', when: subIs('install', 'upgrade', 'uninstall', 'delete', 'rollback') }],
  systemctl: [
    {
      why: '启停系统服务',
      when: (a) => !['status', 'list-units', 'is-active', 'is-enabled', 'show', 'cat'].includes(sub(a)),
    },
  ],
  ...forAll('service supervisorctl pm2 rc-service nginx apachectl launchctl', [
    { why: '启停服务', when: (a) => a.length > 0 && !anyArg(/^(status|list|ls|logs?|-t|-v|-V)$/)(a) },
  ]),
  ...forAll('npm pnpm yarn bun cnpm', NODE_HIGH),
  ...forAll('mvn mvnw gradle gradlew', [
    { why: '发布构件', when: anyArg(/^(deploy|release:.*|publish.*|.*:deploy|bootRun|flywayClean)$/i) },
  ]),
  ...forAll('make just task rake', [
    {
      why: '目标名看起来是发布、清除或改线上数据',
      when: (a) => a.some((x) => !x.startsWith('-') && RISKY_SCRIPT.test(x)),
    },
  ]),
  ...forAll('twine cargo gem', [{ why: '发布软件包', when: subIs('upload', 'publish', 'push', 'yank') }]),
  gh: [{ why: '改动代码托管平台', when: (a) => anyArg(/^(delete|merge|release|close|archive)$/)(a) }],
  ...forAll('curl wget http https', [
    { why: '向外部服务发删除请求', when: (a) => /(^|\s)(-X\s*|--request[= ])?delete(\s|$)/i.test(a.join(' ')) },
  ]),
  rsync: [{ why: '同步时删除目标文件', when: anyArg(/^--delete/) }],
  ...forAll('redis-cli', [{ why: '清空缓存', when: anyArg(/^(flushall|flushdb|del|shutdown)$/i) }]),
  ...forAll('dropdb dropuser mongo mongosh', [
    { why: '删除数据库', when: (a) => a.length === 0 || anyArg(/drop|^[\w-]+$/)(a) },
  ]),
  ...forAll('rmdir rd', [{ why: '递归删除', when: anyArg(/^\/s$/i) }]),
  ...forAll('del erase', [{ why: '成批删除文件', when: anyArg(/^\/[sfq]$|[*?]/i) }]),
  ...forAll('powershell pwsh', [{ why: '递归删除', when: anyArg(/remove-item|format-volume|stop-computer|-enc/i) }]),
  ...forAll('flyway liquibase alembic prisma knex sequelize', [
    { why: '改数据库结构', when: anyArg(/^(clean|migrate|upgrade|downgrade|update|rollback|drop|reset|db:.*|push)/) },
  ]),
  history: [{ why: '清除命令历史', when: hasFlag('c') }],
};

function gitSub(args: readonly string[]): string {
  for (let i = 0; i < args.length; i++) {
    const a = args[i]!;
    if (/^(-C|-c|--git-dir|--work-tree|--namespace)$/.test(a)) i++;
    else if (!a.startsWith('-')) return a;
  }
  return '';
}

const GIT_READ = new Set(
  'status log diff show blame ls-files ls-tree rev-parse rev-list describe grep shortlog cat-file name-rev merge-base whatchanged count-objects check-ignore var version help cherry for-each-ref show-ref diff-tree'.split(
    ' ',
  ),
);

/** Looks, and changes nothing but caches. */
export const LOW_RULES: Rules = {
  ...always(
    '只读',
    'ls dir cat head tail less more wc grep egrep fgrep rg ag ack echo printf pwd which whereis type file stat du df tree date cal whoami id uname hostname printenv true false test [ basename dirname realpath readlink uniq cut tr nl tac rev paste join comm diff cmp md5sum sha1sum sha256sum cksum od xxd hexdump strings jq yq column fold fmt expand seq sleep cd pushd popd read export unset set local return exit shift wait ps top free uptime lsof nproc locale tput clear man help iconv base64 bat fd exa eza cloc tokei scc',
  ),
  find: [{ why: '只读', when: (a) => !a.some((x) => /^-(exec|execdir|ok|okdir|delete|fprint.*|fls)$/.test(x)) }],
  sed: [
    { why: '只读', when: (a) => !hasFlag('i', '--in-place')(a) && !a.some((x) => /(^|;|\d|\$|\/)\s*[we]\s/.test(x)) },
  ],
  ...forAll('awk gawk mawk', [
    { why: '只读', when: (a) => !a.some((x) => /system\s*\(|\|\s*getline|>\s*"|\|\s*"/.test(x)) },
  ]),
  sort: [{ why: '只读', when: (a) => !hasFlag('o', '--output')(a) }],
  git: [
    {
      why: '只读 git 信息',
      when: (a) =>
        GIT_READ.has(gitSub(a)) && !a.some((x) => /^(-c$|--output|--ext-diff|--upload-pack|-O|--open-files)/.test(x)),
    },
    {
      why: '只读 git 信息',
      when: (a) =>
        ['branch', 'tag', 'remote', 'stash', 'config', 'worktree', 'submodule'].includes(gitSub(a)) &&
        isListing(a.slice(a.indexOf(gitSub(a)) + 1)),
    },
  ],
  ...forAll('npm pnpm yarn bun cnpm', NODE_LOW),
  node: [{ why: '运行测试或检查', when: anyArg(/^(--test|--check|-c|-v|--version)$/) }],
  ...forAll('vitest jest mocha ava tap', [
    { why: '运行测试', when: (a) => !a.some((x) => /^(-u|--update(Snapshot)?|--watch.*|--ui)$/i.test(x)) },
  ]),
  ...always(
    '运行测试或检查',
    'pytest mypy pyright pylint flake8 shellcheck hadolint yamllint markdownlint golint staticcheck phpunit phpstan rspec ctest nyc c8 tox depcruise',
  ),
  ...forAll('eslint stylelint oxlint', [{ why: '只做检查', when: (a) => !a.some((x) => x.startsWith('--fix')) }]),
  ...forAll('prettier black isort autopep8 rustfmt', [
    { why: '只做检查', when: anyArg(/^(--check|-c|--diff|--list-different|-l|--check-only)$/) },
  ]),
  biome: [
    {
      why: '只做检查',
      when: (a) => !anyArg(/^--(write|fix|apply.*|unsafe)$/)(a) && subIs('check', 'lint', 'ci', 'format', 'explain')(a),
    },
  ],
  ruff: [
    { why: '只做检查', when: (a) => !a.includes('--fix') && (sub(a) === 'check' || anyArg(/^--(check|diff)$/)(a)) },
  ],
  tsc: [{ why: '只做类型检查', when: anyArg(/^(--noEmit|-v|--version|--showConfig)$/i) }],
  'vue-tsc': [{ why: '只做类型检查', when: anyArg(/^--noEmit$/i) }],
  ...forAll('python python3 py', [
    {
      why: '运行测试或检查',
      when: (a) =>
        a[0] === '-m' && /^(pytest|unittest|mypy|pylint|flake8|pyflakes|doctest|compileall)$/.test(a[1] ?? ''),
    },
    { why: '只看版本', when: anyArg(/^(-V|--version)$/) },
  ]),
  go: [{ why: '运行测试或检查', when: subIs('test', 'vet', 'list', 'version', 'env', 'doc') }],
  cargo: [
    {
      why: '运行测试或检查',
      when: (a) => subIs('test', 'check', 'clippy', 'tree', 'metadata', 'nextest')(a) && !a.includes('--fix'),
    },
  ],
  ...forAll('mvn mvnw', [
    {
      why: '运行测试或检查',
      when: (a) =>
        a.some((x) => /^(test|verify|validate|compile|test-compile|dependency:tree|-v|--version)$/.test(x)) &&
        !a.some((x) => /^(install|clean|deploy|package)$/.test(x)),
    },
  ]),
  ...forAll('gradle gradlew', [
    {
      why: '运行测试或检查',
      when: (a) =>
        a.some((x) => /(^|:)(test|check|tasks|dependencies|compile\w*|-v|--version)$/.test(x)) &&
        !a.some((x) => /(^|:)clean$/.test(x)),
    },
  ]),
  ...forAll('make just task rake', [
    {
      why: '运行测试或检查',
      when: (a) =>
        a.filter((x) => !x.startsWith('-') && !x.includes('=')).length > 0 &&
        a.filter((x) => !x.startsWith('-') && !x.includes('=')).every((x) => CHECK_SCRIPT.test(x)),
    },
  ]),
  dotnet: [{ why: '运行测试', when: subIs('test') }],
  ...forAll('java javac mvn gcc g++ clang rustc php ruby perl docker kubectl', [
    { why: '只看版本', when: (a) => a.length === 1 && /^(-v|-V|--version|-version|version)$/.test(a[0]!) },
  ]),
  docker: [
    {
      why: '只看容器信息',
      when: subIs('ps', 'images', 'logs', 'inspect', 'version', 'info', 'stats', 'top', 'port', 'history'),
    },
  ],
  kubectl: [
    {
      why: '只看集群信息',
      when: subIs('get', 'describe', 'logs', 'top', 'version', 'explain', 'api-resources', 'config'),
    },
  ],
  systemctl: [{ why: '只看服务状态' }],
  crontab: [{ why: '只看定时任务' }],
  ...forAll('service supervisorctl pm2 nginx', [{ why: '只看服务状态' }]),
  history: [{ why: '只读' }],
};

function isListing(args: readonly string[]): boolean {
  return args.every((a) => a.startsWith('-') || /^(list|show|get|status|get-url)$/.test(a)) &&
    !args.some((a) => /^-(d|D|m|M|c|f|a|e)$|^--(delete|move|copy|force|add|unset|edit|set-upstream.*)/.test(a))
    ? true
    : /^(list|show|get-url|--get|--list|-l)$/.test(args[0] ?? '');
}

/** Known, and writes something, talks to the network, or runs code that we do not see. */
export const MEDIUM_RULES: Rules = {
  ...always('删除文件', 'rm del erase rmdir rd unlink'),
  ...always(
    '写文件',
    'cp mv touch mkdir ln tee install truncate patch tar zip unzip gzip gunzip xz split sed sort find awk gawk mawk chmod chown rsync vim vi nano ed',
  ),
  ...always(
    '访问网络',
    'curl wget http https scp sftp ftp nc ncat telnet ping dig nslookup traceroute aws gcloud az aliyun ossutil gh glab',
  ),
  ...always(
    '安装软件',
    'apt apt-get yum dnf apk brew pip pip3 pipx uv poetry conda gem composer bundle snap choco winget',
  ),
  ...always('安装依赖或运行脚本', 'npm pnpm yarn bun cnpm'),
  git: [
    { why: '推送到远端', when: (a) => gitSub(a) === 'push' },
    { why: '从远端取代码', when: (a) => ['fetch', 'pull', 'clone'].includes(gitSub(a)) },
    { why: '改动 git 仓库' },
  ],
  ...always(
    '运行程序',
    'node python python3 py ruby perl php java deno tsx ts-node go cargo dotnet mvn mvnw gradle gradlew make cmake just task rake powershell pwsh',
  ),
  ...always(
    '改写代码',
    'prettier black isort autopep8 rustfmt eslint stylelint oxlint biome ruff gofmt goimports vitest jest mocha ava tap',
  ),
  ...always('编译并写出产物', 'tsc vue-tsc vite webpack rollup esbuild javac gcc g++ clang rustc'),
  ...always('运行或构建容器', 'docker podman kubectl helm'),
  ...always(
    '连接数据库',
    'mysql psql sqlite3 mongo mongosh redis-cli clickhouse-client flyway liquibase alembic prisma knex sequelize',
  ),
  ...always('启停服务', 'service supervisorctl pm2'),
  ...always('执行别的脚本', 'source . alias'),
};
