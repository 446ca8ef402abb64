import { basename, join } from 'node:path';
import pc from 'picocolors';
import type * as z from 'zod';
import { XiheError } from '../../errors.js';
import { openLayoutToRead } from '../../layout.js';
import type { AuditCheck, AuditEntry, ChainEnd } from '../../sandbox/index.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson, visible, visibleLine } from '../output.js';
import type { auditCheckJson, auditJson } from '../schemas/audit.js';
import type { CommonOptions } from './options.js';

interface AuditOptions extends CommonOptions {
  limit: number;
  thread?: string;
  tool?: string;
  since?: Date;
  check?: boolean;
  anchor?: ChainEnd;
}

/** Characters of arguments on a line; `--json` has all that the log keeps. */
const ARGS_SHOWN = 160;

/** `xihe audit`: what was done, or with `--check` whether the log is what was written. */
export async function audit(options: AuditOptions): Promise<number> {
  if (options.anchor !== undefined && options.check !== true)
    throw new XiheError('USAGE', '--anchor 要和 --check 一起用', { hint: '例如 xihe audit --check --anchor 12:3f0a…' });
  const { stateDir } = openLayoutToRead(options.repo);
  // Only this file: the command must not load what runs processes.
  const { AuditLog } = await import('../../sandbox/audit.js');
  const log = new AuditLog(stateDir);
  if (options.check) return shownCheck(log.check(options.anchor), stateDir, options);
  const { limit, thread, tool, since } = options;
  const entries = log.find({
    limit,
    ...(thread === undefined ? {} : { thread }),
    ...(tool === undefined ? {} : { tool }),
    ...(since === undefined ? {} : { since }),
  });
  if (options.json) printJson({ entries: entries.map(toJson) } satisfies z.input<typeof auditJson>);
  else if (entries.length === 0) print('没有这样的记录。去掉条件再看：xihe audit');
  else print(entries.map(toText).join('\n'));
  return EXIT.done;
}

function toJson(e: AuditEntry): z.input<typeof auditJson>['entries'][number] {
  const { at, who, what, args, result, durationMs, thread, trace } = e;
  return {
    at,
    who,
    what,
    args: args ?? null,
    result,
    duration_ms: durationMs,
    thread: thread ?? null,
    trace: trace ?? null,
  };
}

function toText(e: AuditEntry): string {
  const args = JSON.stringify(e.args ?? {});
  const shown = args.length > ARGS_SHOWN ? `${args.slice(0, ARGS_SHOWN)}…` : args;
  const result = e.result === 'ok' ? pc.green('成功') : pc.red(visibleLine(e.result));
  const place = [e.thread && `会话 ${e.thread}`, e.trace && `追踪 ${e.trace}`].filter(Boolean).join('，');
  const when = e.at.slice(0, 19).replace('T', ' ');
  const head = `${pc.dim(when)}  ${visibleLine(e.who)}  ${pc.bold(visibleLine(e.what))}  ${result}  ${seconds(e.durationMs)}`;
  return `${head}${place ? `  ${pc.dim(visibleLine(place))}` : ''}\n    ${pc.dim(visibleLine(shown))}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} 毫秒` : `${(ms / 1_000).toFixed(1)} 秒`;
}

function shownCheck(found: AuditCheck, stateDir: string, { json }: AuditOptions): number {
  const { ok, links, unchained, broken, notes, end } = found;
  const file = broken === undefined ? '' : join(stateDir, 'audit', broken.file);
  if (json) {
    const doc: z.input<typeof auditCheckJson> = {
      ok,
      links,
      unchained,
      broken: broken === undefined ? null : { ...broken, file },
      notes,
      end: end ?? null,
    };
    printJson(doc);
  } else {
    const lines = broken
      ? [`${pc.red('✗')} 审计日志断在 ${visible(file)}:${broken.line}：${broken.reason}`]
      : [`${pc.green('✓')} 审计日志是完整的：${links} 条首尾相接`];
    if (broken)
      lines.push(`  到那里为止的 ${links} 条是完整的。先把 ${basename(join(stateDir, 'audit'))}/ 整个备份下来再查。`);
    if (unchained > 0) lines.push(`  最前面 ${unchained} 行是有链之前写的，查不出改没改过`);
    lines.push(...notes.map((note) => `  ${note}`));
    if (end && !broken)
      lines.push(
        `  链尾 ${end.seq}:${end.hash}`,
        pc.dim('  把链尾记在别处，以后用 --check --anchor 比对，整条重写也看得出'),
      );
    print(lines.join('\n'));
  }
  return ok ? EXIT.done : EXIT.failed;
}
