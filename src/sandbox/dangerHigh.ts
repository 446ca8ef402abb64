import {
  always,
  anyArg,
  clusterSub,
  clusterSubIs,
  forAll,
  GONE,
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
  { why: '发布软件包', when: subIs('publish', 'unpublish'), lasting: GONE.published },
  { why: '改动已发布的软件包', when: subIs('deprecate', 'owner', 'dist-tag') },
  { why: '运行的脚本名看起来是发布、重置或改线上数据', when: (a) => RISKY_SCRIPT.test(scriptOf(a)) },
];
/** Acts that can't be taken back, or that reach beyond this machine's files. */
export const HIGH_RULES: Rules = merged(
  {
    rm: [
      { why: '递归删除', when: hasFlag('rR', '--recursive'), lasting: GONE.files },
      { why: '成批删除文件', when: anyArg(/[*?]|^[/~]$|^\/[^/]*$|^~/), lasting: GONE.files },
    ],
  },
  always('彻底覆盖或删除数据', 'shred wipefs dd mkfs mke2fs mkswap fdisk sfdisk parted format diskpart srm', GONE.data),
  always('结束别的进程', 'kill pkill killall xkill taskkill skill', GONE.running),
  always('关机或重启机器', 'reboot shutdown halt poweroff init telinit', GONE.running),
  always('改防火墙或网络', 'iptables ip6tables nft ufw firewall-cmd ifconfig'),
  always('改系统账号', 'useradd userdel usermod groupadd groupdel passwd chpasswd visudo'),
  always('挂载或卸载磁盘', 'mount umount swapoff'),
  always('在别的机器上执行', 'ssh ansible ansible-playbook salt pdsh'),
  forAll('terraform pulumi cdk serverless eksctl', [
    { why: '删除线上资源', when: subIs('destroy', 'remove', 'delete'), lasting: GONE.data },
    { why: '改线上资源' },
  ]),
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
        lasting: GONE.files,
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
        lasting: GONE.history,
        when: (a) =>
          gitSub(a) === 'push' && a.some((x) => /^(-f|--force.*|--mirror|--delete|-d|--prune)$|^\+|^:./.test(x)),
      },
      {
        why: '丢弃还没提交的改动',
        lasting: GONE.edits,
        when: (a) => gitSub(a) === 'reset' && a.includes('--hard'),
      },
      {
        why: '删除没被跟踪的文件',
        lasting: GONE.files,
        when: (a) => gitSub(a) === 'clean' && !hasFlag('n', '--dry-run')(a),
      },
      {
        why: '丢弃还没提交的改动',
        lasting: GONE.edits,
        when: (a) =>
          (gitSub(a) === 'checkout' && (a.includes('--') || a.includes('.') || hasFlag('f', '--force')(a))) ||
          (gitSub(a) === 'restore' && !a.includes('--staged')),
      },
      {
        why: '删除分支、暂存或历史',
        lasting: GONE.history,
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
      { why: '删除容器、镜像、数据卷', when: anyArg(/^(rm|rmi|prune|down|remove)$/), lasting: GONE.data },
      { why: '停掉或重启容器', when: anyArg(/^(kill|stop|restart|pause)$/), lasting: GONE.running },
      { why: '推送镜像', when: subIs('push') },
      { why: '以特权运行容器', when: anyArg(/^--privileged$/) },
    ],
  },
  {
    kubectl: [
      { why: '删除集群里的资源', when: clusterSubIs('delete'), lasting: GONE.data },
      {
        why: '重启集群里的服务',
        when: (a) => clusterSub(a) === 'rollout' && a.includes('restart'),
        lasting: GONE.running,
      },
      {
        why: '改动集群',
        when: clusterSubIs(
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
  {
    helm: [
      { why: '删除集群里的应用', when: clusterSubIs('uninstall', 'delete'), lasting: GONE.data },
      { why: '改动集群', when: clusterSubIs('install', 'upgrade', 'rollback') },
    ],
  },
  {
    systemctl: [
      { why: '停掉或重启系统服务', when: subIs('restart', 'stop', 'kill', 'try-restart'), lasting: GONE.running },
      {
        why: '启停系统服务',
        when: (a) => !['status', 'list-units', 'is-active', 'is-enabled', 'show', 'cat'].includes(sub(a)),
      },
    ],
  },
  forAll('service supervisorctl pm2 rc-service nginx apachectl launchctl', [
    { why: '停掉或重启服务', when: anyArg(/^(restart|stop|delete|kill)$/), lasting: GONE.running },
    { why: '启停服务', when: (a) => a.length > 0 && !anyArg(/^(status|list|ls|logs?|-t|-v|-V)$/)(a) },
  ]),
  forAll('npm pnpm yarn bun cnpm', NODE_HIGH),
  forAll('mvn mvnw gradle gradlew', [
    { why: '发布构件', when: anyArg(/^(deploy|release:.*|publish.*|.*:deploy)$/i), lasting: GONE.published },
    { why: '清空数据库', when: anyArg(/^(flywayClean|flyway:clean)$/i), lasting: GONE.data },
    { why: '一直运行服务', when: anyArg(/^bootRun$/i) },
  ]),
  forAll('make just task rake', [
    {
      why: '目标名看起来是发布、清除或改线上数据',
      when: (a) => a.some((x) => !x.startsWith('-') && RISKY_SCRIPT.test(x)),
    },
  ]),
  forAll('twine cargo gem', [
    { why: '发布软件包', when: subIs('upload', 'publish', 'push', 'yank'), lasting: GONE.published },
  ]),
  {
    gh: [
      { why: '删除代码托管平台上的东西', when: anyArg(/^delete$/), lasting: GONE.data },
      { why: '改动代码托管平台', when: anyArg(/^(merge|release|close|archive)$/) },
    ],
  },
  forAll('curl wget http https', [
    {
      why: '向外部服务发删除请求',
      lasting: GONE.data,
      when: (a) => /(^|\s)(-X\s*|--request[= ])?delete(\s|$)/i.test(a.join(' ')),
    },
  ]),
  { rsync: [{ why: '同步时删除目标文件', when: anyArg(/^--delete/), lasting: GONE.files }] },
  { 'redis-cli': [{ why: '清空缓存', when: anyArg(/^(flushall|flushdb|del|shutdown)$/i), lasting: GONE.data }] },
  forAll('dropdb dropuser mongo mongosh', [
    { why: '删除数据库', when: (a) => a.length === 0 || anyArg(/drop|^[\w-]+$/)(a), lasting: GONE.data },
  ]),
  forAll('rmdir rd', [{ why: '递归删除', when: anyArg(/^\/s$/i), lasting: GONE.files }]),
  forAll('del erase', [{ why: '成批删除文件', when: anyArg(/^\/[sfq]$|[*?]/i), lasting: GONE.files }]),
  forAll('powershell pwsh', [
    { why: '删除文件或清空磁盘', when: anyArg(/remove-item|format-volume/i), lasting: GONE.files },
    { why: '关机，或看不出要做什么', when: anyArg(/stop-computer|-enc/i) },
  ]),
  forAll('flyway liquibase alembic prisma knex sequelize', [
    { why: '清空数据库', when: anyArg(/^(clean|drop|drop-all|reset|db:drop)$/), lasting: GONE.data },
    { why: '改数据库结构', when: anyArg(/^(clean|migrate|upgrade|downgrade|update|rollback|drop|reset|db:.*|push)/) },
  ]),
  { history: [{ why: '清除命令历史', when: hasFlag('c') }] },
);
