import { destinationsOf } from '../config.js';
import type { Chosen } from '../destinations.js';
import { policyDestination, teamDestinations } from '../tools/index.js';
import type { Untrusted } from '../trust.js';

/** What the project's own files send, run without a question or give secrets to. */
export interface ProjectDestination extends Untrusted {
  chosen: Chosen;
}

/**
 * All that `xihe trust` is about: addresses of the settings, the team's tools, and rules that allow something.
 *
 * @throws XiheError CONFIG_INVALID
 */
export function allDestinations(layerDir: string): ProjectDestination[] {
  const rules = policyDestination(layerDir);
  const tools = [...teamDestinations(layerDir), ...(rules ? [rules] : [])].map(({ trusted, ...one }) => ({
    ...one,
    chosen: trusted ? ('trusted' as const) : ('untrusted' as const),
  }));
  return [...destinationsOf(layerDir), ...tools];
}
