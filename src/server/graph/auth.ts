import { callersOf } from '../../agent/deploy/index.js';
import type { GraphService } from './context.js';

/**
 * Everybody who reaches a server that only this machine reaches: one caller, with the roles that `XIHE_ROLES` gives.
 *
 * @throws XiheError CONFIG_INVALID
 */
export function localCallers(env: NodeJS.ProcessEnv): GraphService['authenticate'] {
  const { roles } = callersOf(env);
  return async () => ({ identity: 'local', roles });
}
