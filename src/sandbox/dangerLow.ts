import {
  always,
  anyArg,
  CHECK_SCRIPT,
  clusterSubIs,
  forAll,
  gitSub,
  hasFlag,
  merged,
  type Rule,
  type Rules,
  scriptOf,
  sub,
  subIs,
} from './dangerArgs.js';

const NODE_LOW: readonly Rule[] = [
  { why: '运行测试或检查', when: (a) => subIs('test', 't', 'tst')(a) || CHECK_SCRIPT.test(scriptOf(a)) },
  { why: '只看依赖信息', when: subIs('ls', 'list', 'why', 'explain', 'outdated', 'bin', 'root', 'prefix') },
  { why: '只看版本', when: anyArg(/^(-v|--version|version)$/) },
];

const GIT_READ = new Set(
  'status log diff show blame ls-files ls-tree rev-parse rev-list describe grep shortlog cat-file name-rev merge-base whatchanged count-objects check-ignore var version help cherry for-each-ref show-ref diff-tree'.split(
    ' ',
  ),
);

/** `w file`, `e command` and their flags of `s///`, as sed(1) has them. */
const SED_WRITES_OR_RUNS = /(^|[;{}\n\d$/])\s*[weWe](\s|$)|\/[gpiIm\d]*[we][gpiIm\d]*(\s|;|$)/;
/** Code on the command line of Node. */
const NODE_INLINE = /^(-[a-z]*[ep]|--eval|--print)(=|$)/;

/** Looks, and changes nothing but caches. */
export const LOW_RULES: Rules = merged(
  always(
    '只读',
    'ls dir cat head tail less more wc grep egrep fgrep echo printf pwd which whereis type stat du df date cal whoami id uname hostname printenv true false test [ basename dirname realpath readlink cut tr nl tac rev paste join comm diff cmp md5sum sha1sum sha256sum cksum od hexdump strings jq column fold fmt expand seq sleep cd pushd popd read unset local return exit shift wait ps top free uptime lsof nproc locale tput clear help base64 exa eza cloc tokei scc',
  ),
  forAll('rg ag ack bat man', [
    { why: '只读', when: (a) => !a.some((x) => /^(--pre|--pager|-P|--output|--html)/.test(x)) },
  ]),
  { fd: [{ why: '只读', when: (a) => !a.some((x) => /^(-[a-z]*[xX]|--exec)/.test(x)) }] },
  forAll('tree iconv', [{ why: '只读', when: (a) => !hasFlag('o', '--output')(a) }]),
  { yq: [{ why: '只读', when: (a) => !hasFlag('i', '--inplace', '--in-place')(a) }] },
  { file: [{ why: '只读', when: (a) => !hasFlag('C', '--compile')(a) }] },
  // Their second file is written.
  forAll('uniq xxd', [{ why: '只读', when: (a) => a.filter((x) => !/^(-|\d+$)/.test(x)).length <= 1 }]),
  forAll('export set', [
    {
      why: '只读',
      when: (a) =>
        !a.some((x) =>
          /^(PATH|HOME|IFS|ENV|\w*_?OPTIONS|LD_\w+|DYLD_\w+|NODE_PATH|PYTHON\w+|BASH_ENV|GIT_\w+|\w*(PAGER|EDITOR))=/.test(
            x,
          ),
        ),
    },
  ]),
  { find: [{ why: '只读', when: (a) => !a.some((x) => /^-(exec|execdir|ok|okdir|delete|fprint.*|fls)$/.test(x)) }] },
  {
    sed: [
      {
        why: '只读',
        when: (a) => !hasFlag('if', '--in-place', '--file')(a) && !a.some((x) => SED_WRITES_OR_RUNS.test(x)),
      },
    ],
  },
  forAll('awk gawk mawk', [
    {
      why: '只读',
      when: (a) =>
        !a.some((x) => /system\s*\(|\|\s*(getline|"|[a-z])|>\s*[^\s\d=$]|^-[A-Za-z]*[fi]|^--(file|include)/.test(x)),
    },
  ]),
  { sort: [{ why: '只读', when: (a) => !hasFlag('o', '--output')(a) }] },
  {
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
  },
  forAll('npm pnpm yarn bun cnpm', NODE_LOW),
  {
    node: [
      {
        why: '运行测试或检查',
        when: (a) => !a.some((x) => NODE_INLINE.test(x)) && anyArg(/^(--test|--check|-c|-v|--version)$/)(a),
      },
    ],
  },
  forAll('vitest jest mocha ava tap', [
    { why: '运行测试', when: (a) => !a.some((x) => /^(-u|--update(Snapshot)?|--watch.*|--ui)$/i.test(x)) },
  ]),
  always(
    '运行测试或检查',
    'pytest mypy pyright pylint flake8 shellcheck hadolint yamllint markdownlint golint staticcheck phpunit phpstan rspec ctest nyc c8 tox depcruise',
  ),
  forAll('eslint stylelint oxlint', [{ why: '只做检查', when: (a) => !a.some((x) => x.startsWith('--fix')) }]),
  forAll('prettier black isort autopep8 rustfmt', [
    { why: '只做检查', when: anyArg(/^(--check|-c|--diff|--list-different|-l|--check-only)$/) },
  ]),
  {
    biome: [
      {
        why: '只做检查',
        when: (a) =>
          !anyArg(/^--(write|fix|apply.*|unsafe)$/)(a) && subIs('check', 'lint', 'ci', 'format', 'explain')(a),
      },
    ],
  },
  {
    ruff: [
      { why: '只做检查', when: (a) => !a.includes('--fix') && (sub(a) === 'check' || anyArg(/^--(check|diff)$/)(a)) },
    ],
  },
  { tsc: [{ why: '只做类型检查', when: anyArg(/^(--noEmit|-v|--version|--showConfig)$/i) }] },
  { 'vue-tsc': [{ why: '只做类型检查', when: anyArg(/^--noEmit$/i) }] },
  forAll('python python3 py', [
    {
      why: '运行测试或检查',
      when: (a) =>
        a[0] === '-m' && /^(pytest|unittest|mypy|pylint|flake8|pyflakes|doctest|compileall)$/.test(a[1] ?? ''),
    },
    { why: '只看版本', when: (a) => a.length === 1 && /^(-V|--version)$/.test(a[0]!) },
  ]),
  { go: [{ why: '运行测试或检查', when: subIs('test', 'vet', 'list', 'version', 'env', 'doc') }] },
  {
    cargo: [
      {
        why: '运行测试或检查',
        when: (a) => subIs('test', 'check', 'clippy', 'tree', 'metadata', 'nextest')(a) && !a.includes('--fix'),
      },
    ],
  },
  forAll('mvn mvnw', [
    {
      why: '运行测试或检查',
      when: (a) =>
        a.some((x) => /^(test|verify|validate|compile|test-compile|dependency:tree|-v|--version)$/.test(x)) &&
        !a.some((x) => /^(install|clean|deploy|package)$/.test(x)),
    },
  ]),
  forAll('gradle gradlew', [
    {
      why: '运行测试或检查',
      when: (a) =>
        a.some((x) => /(^|:)(test|check|tasks|dependencies|compile\w*|-v|--version)$/.test(x)) &&
        !a.some((x) => /(^|:)clean$/.test(x)),
    },
  ]),
  forAll('make just task rake', [
    {
      why: '运行测试或检查',
      when: (a) =>
        a.filter((x) => !x.startsWith('-') && !x.includes('=')).length > 0 &&
        a.filter((x) => !x.startsWith('-') && !x.includes('=')).every((x) => CHECK_SCRIPT.test(x)),
    },
  ]),
  { dotnet: [{ why: '运行测试', when: subIs('test') }] },
  forAll('java javac mvn gcc g++ clang rustc php ruby perl docker kubectl', [
    { why: '只看版本', when: (a) => a.length === 1 && /^(-v|-V|--version|-version|version)$/.test(a[0]!) },
  ]),
  {
    docker: [
      {
        why: '只看容器信息',
        when: subIs('ps', 'images', 'logs', 'inspect', 'version', 'info', 'stats', 'top', 'port', 'history'),
      },
    ],
  },
  {
    kubectl: [
      {
        why: '只看集群信息',
        when: clusterSubIs('get', 'describe', 'logs', 'top', 'version', 'explain', 'api-resources', 'config'),
      },
    ],
  },
  { systemctl: [{ why: '只看服务状态' }] },
  { crontab: [{ why: '只看定时任务' }] },
  forAll('service supervisorctl pm2 nginx', [{ why: '只看服务状态' }]),
  { history: [{ why: '只读' }] },
);

function isListing(args: readonly string[]): boolean {
  return args.every((a) => a.startsWith('-') || /^(list|show|get|status|get-url)$/.test(a)) &&
    !args.some((a) => /^-(d|D|m|M|c|f|e)$|^--(delete|move|copy|force|add|unset|edit|set-upstream.*)/.test(a))
    ? true
    : /^(list|show|get-url|--get|--list|-l)$/.test(args[0] ?? '');
}
