import { AlertQueue } from '../../../src/integrations/alerts/queue.js';
import { alertsOf, failureOf, lockOf } from './support.js';

/** Another process for the tests: `child.ts notify|flush|die-taken STATE ADDRESS PLATFORM [N]`. */
const [does, stateDir = '', webhook = '', platform = '', n = '1'] = process.argv.slice(2);

if (does === 'die-taken') {
  new AlertQueue(stateDir, lockOf(stateDir), 10_000).take();
  process.kill(process.pid, 'SIGKILL');
}
const alerts = alertsOf(stateDir, { webhook, platform });
if (does === 'notify') await alerts.notify(failureOf(n));
if (does === 'flush') await alerts.flush();
