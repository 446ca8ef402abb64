import { messageOf, XiheError } from '../errors.js';
import { hasRobot } from '../integrations/index.js';
import { openAlerts } from '../tools/index.js';
import { intentOf, type NodeEnv } from './node.js';
import type { Report, RunState } from './state.js';

/**
 * Alerts the team's group that a run or an act has failed for good: called where the report is made, when whatever could be tried again was.
 * Off unless `alerts.onFailure` says so. What people refused or stopped, and what was left for an answer, is no failure.
 *
 * Never throws: a failure that can't be told must not become another one.
 */
export async function alertOfFailure(state: RunState, report: Report, env: NodeEnv): Promise<void> {
  const { config, layout } = env.project;
  if (report.ok || report.error === null || !config.alerts.onFailure || !hasRobot(config.alerts)) return;
  const say = (text: string) => env.emit({ type: 'progress', text });
  try {
    const alerts = openAlerts(config.alerts, layout.stateDir);
    const done = await alerts.notify(
      {
        id: `${state.runId}-${state.routed?.index ?? 0}`,
        trace: env.thread,
        task: intentOf(state).text,
        reason: `${report.error.message}（${report.error.code}）`,
        kind: 'failure',
        durationMs: state.elapsedMs,
        ...(logOf(state, report) ? { log: logOf(state, report) } : {}),
      },
      env.signal ? { signal: env.signal } : {},
    );
    if (done.state === 'sent') say(`已告警：${alerts.target}`);
    else if (done.error) say(`告警没有发出去：${done.error.message}。${done.error.hint}`);
  } catch (e) {
    say(`告警没有发出去：${messageOf(e)}${XiheError.is(e) ? `。${e.hint}` : ''}`);
  }
}

/** What says most of a failure: the act's output, else the tests'. A brief is no log. */
function logOf(state: RunState, report: Report): string {
  return report.kind === 'tool' ? (state.tool?.outcome?.text ?? '') : (state.tests?.summary ?? '');
}
