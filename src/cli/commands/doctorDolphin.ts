import type { XiheConfig } from '../../config.js';
import { XiheError } from '../../errors.js';
import { shownAddress } from '../../trust.js';
import type { Check } from './doctor.js';

const NAME = 'DolphinScheduler';

/**
 * Whether DolphinScheduler answers, takes the token and has the project.
 *
 * @param limitMs longest wait, in ms
 */
export async function dolphinCheck({ dolphin }: XiheConfig, limitMs: number): Promise<Check> {
  if (!dolphin.address) return { name: NAME, state: 'off', detail: '没有配置', hint: '' };
  try {
    const { DolphinClient } = await import('../../integrations/index.js');
    const client = new DolphinClient(dolphin);
    const options = { signal: AbortSignal.timeout(limitMs) };
    const address = shownAddress(dolphin.address);
    if (!dolphin.project) {
      const found = await client.projects(options);
      const hint = '设置 dolphin.project 或 XIHE_DOLPHIN_PROJECT，省得每次说是哪个项目。';
      return {
        name: NAME,
        state: 'warn',
        detail: `${address} 可用，能看到 ${found.length} 个项目，没有说用哪个`,
        hint,
      };
    }
    const line = (await client.version(undefined, options)) === 'workflow' ? '3.3' : '3.1/3.2';
    return { name: NAME, state: 'ok', detail: `${address} 可用（${line}），项目 ${dolphin.project}`, hint: '' };
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    if (e.code !== 'CANCELLED') return { name: NAME, state: 'fail', detail: e.message, hint: e.hint };
    const detail = `${shownAddress(dolphin.address)} ${limitMs / 1000} 秒没有应答`;
    return { name: NAME, state: 'fail', detail, hint: '检查 dolphin.address 和服务器是否启动。' };
  }
}
