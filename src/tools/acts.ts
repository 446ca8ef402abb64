/** Kinds of act that routing hints at (see its README), as people call them. */
export const ACT_NAMES: Readonly<Record<string, string>> = {
  restart_service: '重启服务',
  deploy: '部署或发布',
  rollback: '回滚',
  scale_service: '扩缩容',
  run_tests: '跑测试',
  run_command: '运行命令',
  http_request: '请求接口',
  build_image: '构建镜像',
  db_migrate: '迁移数据库',
  backup_db: '备份数据库',
  restore_db: '恢复数据库',
  git_op: 'git 操作',
  create_issue: '提工单',
  create_schedule: '建定时任务',
  send_alert: '发通知',
  send_email: '发邮件',
  query_logs: '查日志',
  query_db: '查数据库',
  view_metrics: '看监控',
  search_code: '搜代码',
  lookup_file: '找文件',
  read_file: '读文件',
  edit_config: '改线上配置',
  clean_dir: '清理目录',
  upload_file: '上传文件',
};

/** Whether a tool's name says that it does an act: `deploy_staging` deploys, `git_log` is no `git_op`. */
export function nameDoes(tool: string, act: string): boolean {
  const words = tool.split('_');
  return act.split('_').every((word) => words.includes(word));
}

/** A command line of at least two words that stands in an utterance as it is: 「跑一下 npm run lint」. */
export function commandIn(text: string): string | undefined {
  return /(?<![\w./-])[a-z][\w.+-]*(?: +[\w./:=@"'*+-]+)+/i.exec(text)?.[0].trim();
}
