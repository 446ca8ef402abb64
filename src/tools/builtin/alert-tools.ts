import * as z from 'zod';
import type { XiheConfig } from '../../config.js';
import { XiheError } from '../../errors.js';
import { type Alert, Alerts, type Notified } from '../../integrations/index.js';
import { lockPath, withFileLock } from '../../sandbox/index.js';
import { builtIn } from '../contract.js';
import type { ToolContext } from '../types.js';

/** Longest time of the tool, in milliseconds: three requests of ten seconds, and the pauses between them. */
const TIMEOUT_MS = 45_000;
/** Longest message, in characters: WeCom's text takes 2,048 bytes, three for a Chinese character. */
const TEXT_CHARS = 600;

/**
 * A project's alerts, with the lock that its processes share.
 *
 * @throws XiheError ALERT_NOT_CONFIGURED, ALERT_INVALID, UNTRUSTED_ADDRESS
 */
export function openAlerts(config: XiheConfig['alerts'], stateDir: string): Alerts {
  return Alerts.open({ config, stateDir, lock: (work) => withFileLock(lockPath(stateDir, 'alerts'), work) });
}

const input = z.object({
  text: z.string().trim().min(1).max(TEXT_CHARS).describe('要发到群里的话，必填，最多 600 字，不要放密钥'),
  title: z.string().trim().max(60).optional().describe('这条消息是关于什么的，一句话；不写就用会话名'),
});

interface Sent {
  target: string;
  done: Notified;
}

function alertsOf({ alerts, stateDir }: ToolContext): Alerts {
  if (alerts !== undefined) return openAlerts(alerts, stateDir);
  throw new XiheError('ALERT_NOT_CONFIGURED', '这里没有接上告警机器人', { hint: '设置 XIHE_ALERT_WEBHOOK。' });
}

function alertOf({ text, title }: z.infer<typeof input>, { callId, thread }: ToolContext): Alert {
  return { id: callId, trace: callId, task: title ?? `会话 ${thread}`, reason: text, kind: 'notice' };
}

/** Puts a message into the team's group. */
export const sendAlert = builtIn<z.infer<typeof input>, Sent>({
  name: 'send_alert',
  description: '往团队的群里发一条消息：企业微信、钉钉、飞书机器人',
  input,
  examples: [{ text: '订单服务已回滚到 v1.8.2', title: '订单服务回滚' }],
  danger: 'medium',
  readOnly: false,
  idempotent: false,
  aclRole: 'developer',
  timeoutMs: TIMEOUT_MS,
  effect: 'outside',
  irreversible: '发到群里的话收不回来',
  preview(input, ctx) {
    const alerts = alertsOf(ctx);
    const { task, reason } = alerts.told(alertOf(input, ctx));
    const { waiting } = alerts.status();
    return {
      lines: [`发到：${alerts.target}`, `关于：${task}`, `内容：${reason}`],
      now: waiting > 0 ? [`另有 ${waiting} 条在排队，会一起发出`] : [],
    };
  },
  async run(input, ctx) {
    const alerts = alertsOf(ctx);
    const done = await alerts.notify(alertOf(input, ctx), ctx.signal ? { signal: ctx.signal } : {});
    if (done.error !== undefined && done.state !== 'sent') throw done.error;
    return { target: alerts.target, done };
  },
  render: ({ target, done: { state, until } }) => {
    if (state === 'sent') return `已发到 ${target}`;
    if (state === 'known' || state === 'repeated') return `已经发过，没有再发：${target}`;
    const when = until === undefined ? '' : `，${new Date(until).toLocaleTimeString('zh-CN')} 之后`;
    return `在排队${when}由下一次运行或 xihe alert flush 发出：${target}`;
  },
});
