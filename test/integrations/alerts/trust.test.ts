import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { destinationsOf, loadConfig } from '../../../src/config.js';
import { Alerts } from '../../../src/integrations/alerts/index.js';
import { projectOf, trust } from '../../../src/trust.js';
import { shownWebhook } from '../../../src/webhook.js';
import { KEY, SECRET } from './robot-server.js';
import { lockOf } from './support.js';

const WECOM = `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${KEY}`;
let root: string;
let layer: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'xihe-alert-trust-'));
  layer = join(root, 'project', '.xihe');
  mkdirSync(layer, { recursive: true });
  env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config') };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (more: NodeJS.ProcessEnv = {}) =>
  Alerts.open({ config: loadConfig(layer, { ...env, ...more }).alerts, stateDir: root, lock: lockOf(root) });
const projectSays = (address: string) =>
  writeFileSync(join(layer, 'config.yaml'), `alerts: { webhook: '${address}' }\n`);

describe('whose robot it is', () => {
  it('takes the one of the environment, with everything beside it', () => {
    const all = { XIHE_ALERT_WEBHOOK: WECOM, XIHE_ALERT_SECRET: SECRET, XIHE_ALERT_ON_FAILURE: 'true' };
    const { alerts } = loadConfig(layer, { ...env, ...all });
    expect(alerts).toMatchObject({ webhook: WECOM, secret: SECRET, onFailure: true, format: 'text' });
    expect(open(all).target).toBe('企业微信 https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=***');
  });

  it('does not use one that only the repository chose, and gives it no secret', () => {
    projectSays(WECOM);
    expect(loadConfig(layer, { ...env, XIHE_ALERT_SECRET: SECRET }).alerts.secret).toBeUndefined();
    expect(() => open()).toThrow(expect.objectContaining({ code: 'UNTRUSTED_ADDRESS' }));
  });

  it('uses it once it is trusted, and another key is another one', () => {
    projectSays(WECOM);
    const file = trust(projectOf(layer), destinationsOf(layer, env), env);
    expect(open({ XIHE_ALERT_SECRET: SECRET }).platform).toBe('wecom');
    projectSays(WECOM.replace('693a', '693b'));
    expect(() => open()).toThrow(expect.objectContaining({ code: 'UNTRUSTED_ADDRESS' }));
    expect(readFileSync(file, 'utf8')).not.toContain('7f9c-4bc4');
  });

  it('lets the environment overrule the repository', () => {
    projectSays('https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=somebody-elses-key-of-theirs');
    expect(open({ XIHE_ALERT_WEBHOOK: `https://open.feishu.cn/open-apis/bot/v2/hook/${KEY}` }).platform).toBe('feishu');
  });

  it('tells no key in any error', () => {
    projectSays(WECOM);
    const said: string[] = [];
    for (const address of [
      WECOM,
      `http://qyapi.weixin.qq.com/x?key=${KEY}`,
      `https://a.example/${KEY}`,
      `nonsense ${KEY}`,
    ])
      for (const variable of [{}, { XIHE_ALERT_WEBHOOK: address }] as NodeJS.ProcessEnv[])
        try {
          said.push(JSON.stringify([open(variable).target]));
        } catch (e) {
          said.push(JSON.stringify([e, String((e as Error).stack)]));
        }
    expect(said.join('\n')).not.toContain('7f9c-4bc4');
    expect(said.join('\n')).toContain('UNTRUSTED_ADDRESS');
  });
});

describe('an address without its key', () => {
  it.each([
    [WECOM, 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=***'],
    [
      `https://oapi.dingtalk.com/robot/send?access_token=${KEY}`,
      'https://oapi.dingtalk.com/robot/send?access_token=***',
    ],
    [`https://open.feishu.cn/open-apis/bot/v2/hook/${KEY}`, 'https://open.feishu.cn/open-apis/bot/v2/hook/***'],
    [`https://user:pass@a.example/x#${KEY}`, 'https://a.example/x'],
    [KEY, '***'],
  ])('%s', (address, shown) => {
    expect(shownWebhook(address)).toBe(shown);
  });
});
