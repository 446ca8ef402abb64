import type { XiheConfig } from '../../config.js';
import { messageOf, XiheError } from '../../errors.js';
import type { ProjectLayout } from '../../layout.js';
import type { Check } from './doctor.js';

const NAME = '告警';

/** The group's robot: where alerts go, whether failures are told, what waits. Sends nothing: nobody wants a message for each check-up. */
export async function alertsCheck(config: XiheConfig['alerts'], layout: ProjectLayout): Promise<Check> {
  const { hasRobot } = await import('../../integrations/index.js');
  if (!hasRobot(config))
    return {
      name: NAME,
      state: 'off',
      detail: '没有配置，失败时不通知群',
      hint: '要用：把群机器人的地址放进 XIHE_ALERT_WEBHOOK。',
    };
  try {
    const { openAlerts } = await import('../../tools/index.js');
    const alerts = openAlerts(config, layout.stateDir);
    const { waiting, unclear } = alerts.status();
    const when = config.onFailure ? '失败时发' : '失败时不发（alerts.onFailure 没开）';
    const detail = `${alerts.target}，${when}`;
    if (waiting === 0 && unclear === 0) return { name: NAME, state: 'ok', detail, hint: '试发一条：xihe alert test。' };
    const left = [
      waiting > 0 && `${waiting} 条在排队`,
      unclear > 0 && `${unclear} 条没有送到或不知道有没有送到`,
    ].filter(Boolean);
    return {
      name: NAME,
      state: 'warn',
      detail: `${detail}；${left.join('，')}`,
      hint: '发出在排队的：xihe alert flush。',
    };
  } catch (e) {
    return { name: NAME, state: 'fail', detail: messageOf(e), hint: XiheError.is(e) ? e.hint : '' };
  }
}
