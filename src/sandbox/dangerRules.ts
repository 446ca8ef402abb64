import { always, GONE, gitSub, merged, type Rules, type Wrapper } from './dangerArgs.js';

export { HIGH_RULES } from './dangerHigh.js';
export { LOW_RULES } from './dangerLow.js';

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

/** Known, and writes something, talks to the network, or runs code that we do not see. */
export const MEDIUM_RULES: Rules = merged(
  always('删除文件', 'rm del erase unlink', GONE.files),
  always('删除空目录', 'rmdir rd'),
  always(
    '写文件',
    'cp mv touch mkdir ln tee install truncate patch tar zip unzip gzip gunzip xz split sed sort find awk gawk mawk chmod chown rsync tree uniq xxd yq iconv file vim vi nano ed',
  ),
  always(
    '访问网络',
    'curl wget http https scp sftp ftp nc ncat telnet ping dig nslookup traceroute aws gcloud az aliyun ossutil gh glab',
  ),
  always(
    '安装软件',
    'apt apt-get yum dnf apk brew pip pip3 pipx uv poetry conda gem composer bundle snap choco winget',
  ),
  always('安装依赖或运行脚本', 'npm pnpm yarn bun cnpm'),
  {
    git: [
      { why: '推送到远端', when: (a) => gitSub(a) === 'push' },
      { why: '从远端取代码', when: (a) => ['fetch', 'pull', 'clone'].includes(gitSub(a)) },
      { why: '改动 git 仓库' },
    ],
  },
  always(
    '运行程序',
    'node python python3 py ruby perl php java deno tsx ts-node go cargo dotnet mvn mvnw gradle gradlew make cmake just task rake powershell pwsh',
  ),
  always(
    '改写代码',
    'prettier black isort autopep8 rustfmt eslint stylelint oxlint biome ruff gofmt goimports vitest jest mocha ava tap',
  ),
  always('编译并写出产物', 'tsc vue-tsc vite webpack rollup esbuild javac gcc g++ clang rustc'),
  always('运行或构建容器', 'docker podman kubectl helm'),
  always(
    '连接数据库',
    'mysql psql sqlite3 mongo mongosh redis-cli clickhouse-client flyway liquibase alembic prisma knex sequelize',
  ),
  always('启停服务', 'service supervisorctl pm2'),
  always('执行别的脚本', 'source . alias'),
  always('运行别的程序', 'rg ag ack bat man fd'),
  always('改变了程序的查找或加载方式', 'export set'),
);
