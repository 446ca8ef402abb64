import { XiheError } from '../errors.js';
import { type LAYER_NAMES, LAYERS } from '../layers.js';

/** One arm of a comparison: the same tasks, model, tools and seed, with something left out or made smaller. */
export interface EvalArm {
  name: string;
  /** In Chinese, for the report. */
  title: string;
  without: (typeof LAYER_NAMES)[number][];
  context: 'window' | 'tree';
  /** Settings that differ, as environment variables. */
  env: Record<string, string>;
}

const LAYER_TITLES: Record<(typeof LAYERS)[number], string> = {
  terms: '术语',
  knowledge: '知识片段',
  playbooks: '流程模板',
  warnings: '警示',
  paths: '路径上下文',
  history: '提交历史',
};

const whole = { without: [], context: 'window' as const, env: {} };

/** Every arm that can be asked for, in the order of the report. */
export const ARMS: readonly EvalArm[] = [
  { ...whole, name: 'on', title: '数据核全开' },
  { ...whole, name: 'off', title: '数据核关', without: ['core'] },
  ...LAYERS.map((layer) => ({ ...whole, name: `no-${layer}`, title: `去掉${LAYER_TITLES[layer]}`, without: [layer] })),
  // 400 characters and three entries of a kind: what `core.preset: lean` means.
  { ...whole, name: 'lean', title: '精简（400 字、每类 3 条）', env: { XIHE_CORE_PRESET: 'lean' } },
  { ...whole, name: 'tree', title: '整个目录树，什么都不加', without: ['core', 'paths', 'history'], context: 'tree' },
];

/** The arms that are compared when none are named. */
export const DEFAULT_ARMS = ['on', 'off'] as const;

/**
 * Arms by name.
 *
 * @param names of {@link ARMS}; `all` means all
 * @throws XiheError USAGE for a name that is none
 */
export function armsNamed(names: readonly string[]): EvalArm[] {
  if (names.includes('all')) return [...ARMS];
  return [...new Set(names)].map((name) => {
    const arm = ARMS.find((one) => one.name === name);
    if (arm) return arm;
    throw new XiheError('USAGE', `没有叫 ${name} 的对照组`, {
      hint: `可以写 ${ARMS.map((one) => one.name).join('、')}，或 all。`,
    });
  });
}
