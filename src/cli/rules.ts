import { join } from 'node:path';
import { LastGoodFolder } from '../knowledge/index.js';
import type { ProjectLayout } from '../layout.js';
import { BUILTIN_NAMES, loadTeamTools, Policy, type PolicyLayer, ToolRegistry } from '../tools/index.js';
import type { Finding } from '../zhcore/index.js';

/** The rules and tools of a project, and what is to be said about them. */
export interface ProjectRules {
  policy: Policy;
  tools: ToolRegistry;
  /** Faults of the rules, with their places. */
  findings: Finding[];
}

/** The tool under which a whole set of edits is written to the project. */
const WRITES = 'apply_changeset';

/** Loads what decides on acts: `policy.yaml` of the user and the project, and `tools/*.yaml`. */
export function loadRules({ layerDir, stateDir }: Pick<ProjectLayout, 'layerDir' | 'stateDir'>): ProjectRules {
  const lastGood = new LastGoodFolder(join(stateDir, 'last-good'), 'policy');
  const policy = Policy.load({ layerDir, lastGood });
  const registry = new ToolRegistry(loadTeamTools(layerDir, BUILTIN_NAMES).tools, { dolphin: true });
  const names = [...registry.all().map(({ name }) => name), WRITES];
  return { policy, tools: registry, findings: policy.layers.flatMap((layer) => ofLayer(layer, names)) };
}

function finding(level: Finding['level'], rule: string, file: string, line: number, message: string): Finding {
  return { level, rule, file, line, message, layer: 'project' };
}

function ofLayer(layer: PolicyLayer, names: readonly string[]): Finding[] {
  const kept = layer.broken?.kept ? '上一个可用的版本里 ask 和 deny 的规则' : '没有上一个可用的版本，';
  const effect = layer.broken ? `（${kept}${layer.broken.kept ? '继续算，' : ''}放行的都不算，--yes 也不算）` : '';
  const faults = layer.problems.map(({ file, line, reason }) =>
    finding('error', 'policy', file, line, reason + effect),
  );
  const unknown = layer.rules.flatMap(({ tool, file, line }) =>
    (Array.isArray(tool) ? tool : tool === undefined ? [] : [tool])
      .filter((name) => !name.includes('*') && !names.includes(name))
      .map((name) => finding('warning', 'policy', file, line, `没有名叫 ${name} 的工具，这条规则对它不起作用`)),
  );
  const untrusted = layer.destination?.trusted === false && !layer.broken;
  const first = layer.rules.find(({ decision }) => decision === 'allow');
  const told = '放行的规则还没有得到你的信任，先不算；信得过就运行 xihe trust';
  return [
    ...faults,
    ...unknown,
    ...(untrusted && first ? [finding('warning', 'policy', first.file, first.line, told)] : []),
  ];
}
