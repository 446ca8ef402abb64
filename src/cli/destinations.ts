import { dirname } from 'node:path';
import { destinationsOf } from '../config.js';
import type { Chosen } from '../destinations.js';
import { mcpDestinations, Policy, teamDestinations } from '../tools/index.js';
import type { Untrusted } from '../trust.js';

/** What the project's own files send, run without a question or give secrets to. */
export interface ProjectDestination extends Untrusted {
  chosen: Chosen;
  /** A tool that a rule allows without a question. */
  ruled?: boolean;
}

/**
 * All that `xihe trust` is about: addresses of the settings, the team's tools, also those that a rule allows, MCP servers, and the
 * rules that allow something.
 *
 * @throws XiheError CONFIG_INVALID
 */
export function allDestinations(layerDir: string): ProjectDestination[] {
  const policy = Policy.load({ layerDir });
  const rules = policy.layers.at(-1)?.destination;
  const acts = teamDestinations(layerDir, process.env, (tool) => policy.mentionsAllowed(tool));
  const servers = mcpDestinations(dirname(layerDir), layerDir);
  const tools = [...acts, ...servers, ...(rules ? [rules] : [])].map(({ trusted, ...one }) => ({
    ...one,
    chosen: trusted ? ('trusted' as const) : ('untrusted' as const),
  }));
  return [...destinationsOf(layerDir), ...tools];
}
