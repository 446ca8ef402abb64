import {
  always,
  anyArg,
  forAll,
  gitSub,
  hasFlag,
  merged,
  RISKY_SCRIPT,
  type Rule,
  type Rules,
  scriptOf,
  sub,
  subIs,
} from './dangerArgs.js';

const NODE_HIGH: readonly Rule[] = [
  { why: '发布软件包', when: subIs('publish', 'unpublish', 'deprecate', 'owner', 'dist-tag') },
  { why: '运行的脚本名看起来是发布、重置或改线上数据', when: (a) => RISKY_SCRIPT.test(scriptOf(a)) },
];
/** Acts that can't be taken back, or that reach beyond this machine's files. */
export const HIGH_RULES: Rules = merged(
  {
    rm: [
      { why: '递归删除', when: hasFlag('rR', '--recursive') },
      { why: '成批删除文件', when: anyArg(/[*?]|^[/~]$|^\/[^/]*$|^~/) },
    ],
  },
  always('彻底覆盖或删除数据', 'shred wipefs dd mkfs mke2fs mkswap fdisk sfdisk parted format diskpart srm'),
  always('结束别的进程', 'kill pkill killall xkill taskkill skill'),
  always('关机或重启机器', 'reboot shutdown halt poweroff init telinit'),
  always('改防火墙或网络', 'iptables ip6tables nft ufw firewall-cmd ifconfig'),
  always('改系统账号', 'useradd userdel usermod groupadd groupdel passwd chpasswd visudo'),
  always('挂载或卸载磁盘', 'mount umount swapoff'),
  always('在别的机器上执行', 'ssh ansible ansible-playbook salt pdsh'),
  always('改线上资源', 'terraform pulumi cdk serverless eksctl'),
  {
    chmod: [
      { why: '递归改权限', when: hasFlag('R', '--recursive') },
      { why: '放开所有权限', when: anyArg(/^[0-7]?777$|^a\+rwx$/) },
    ],
  },
  { chown: [{ why: '递归改属主', when: hasFlag('R', '--recursive') }] },
  { crontab: [{ why: '改定时任务', when: (a) => !a.includes('-l') }] },
  {
    find: [
      {
        why: '成批删除文件',
        when: (a) =>
          a.includes('-delete') ||
          (a.some((x) => /^-(exec|execdir|ok)$/.test(x)) && a.some((x) => /^(.*\/)?(rm|shred|unlink)$/.test(x))),
      },
    ],
  },
  {
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
  },
  {
    docker: [
      {
        why: '删除或停掉容器、镜像、数据卷',
        when: (a) => anyArg(/^(rm|rmi|kill|stop|restart|prune|down|remove|pause)$/)(a),
      },
      { why: '推送镜像', when: subIs('push') },
      { why: '以特权运行容器', when: anyArg(/^--privileged$/) },
    ],
  },
  {
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
  },
  { helm: [{ why: '改动集群', when: subIs('install', 'upgrade', 'uninstall', 'delete', 'rollback') }] },
  {
    systemctl: [
      {
        why: '启停系统服务',
        when: (a) => !['status', 'list-units', 'is-active', 'is-enabled', 'show', 'cat'].includes(sub(a)),
      },
    ],
  },
  forAll('service supervisorctl pm2 rc-service nginx apachectl launchctl', [
    { why: '启停服务', when: (a) => a.length > 0 && !anyArg(/^(status|list|ls|logs?|-t|-v|-V)$/)(a) },
  ]),
  forAll('npm pnpm yarn bun cnpm', NODE_HIGH),
  forAll('mvn mvnw gradle gradlew', [
    { why: '发布构件', when: anyArg(/^(deploy|release:.*|publish.*|.*:deploy|bootRun|flywayClean)$/i) },
  ]),
  forAll('make just task rake', [
    {
      why: '目标名看起来是发布、清除或改线上数据',
      when: (a) => a.some((x) => !x.startsWith('-') && RISKY_SCRIPT.test(x)),
    },
  ]),
  forAll('twine cargo gem', [{ why: '发布软件包', when: subIs('upload', 'publish', 'push', 'yank') }]),
  { gh: [{ why: '改动代码托管平台', when: (a) => anyArg(/^(delete|merge|release|close|archive)$/)(a) }] },
  forAll('curl wget http https', [
    { why: '向外部服务发删除请求', when: (a) => /(^|\s)(-X\s*|--request[= ])?delete(\s|$)/i.test(a.join(' ')) },
  ]),
  { rsync: [{ why: '同步时删除目标文件', when: anyArg(/^--delete/) }] },
  forAll('redis-cli', [{ why: '清空缓存', when: anyArg(/^(flushall|flushdb|del|shutdown)$/i) }]),
  forAll('dropdb dropuser mongo mongosh', [
    { why: '删除数据库', when: (a) => a.length === 0 || anyArg(/drop|^[\w-]+$/)(a) },
  ]),
  forAll('rmdir rd', [{ why: '递归删除', when: anyArg(/^\/s$/i) }]),
  forAll('del erase', [{ why: '成批删除文件', when: anyArg(/^\/[sfq]$|[*?]/i) }]),
  forAll('powershell pwsh', [{ why: '递归删除', when: anyArg(/remove-item|format-volume|stop-computer|-enc/i) }]),
  forAll('flyway liquibase alembic prisma knex sequelize', [
    { why: '改数据库结构', when: anyArg(/^(clean|migrate|upgrade|downgrade|update|rollback|drop|reset|db:.*|push)/) },
  ]),
  { history: [{ why: '清除命令历史', when: hasFlag('c') }] },
);
