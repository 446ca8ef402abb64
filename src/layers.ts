/** What a run is given beside the model and the plain tools, each of which it can do without, so that its worth can be measured. */
export const LAYERS = ['terms', 'knowledge', 'playbooks', 'warnings', 'paths', 'history'] as const;
export type Layer = (typeof LAYERS)[number];

/** The layers of the data core, which `core` names together. */
export const CORE_LAYERS = ['terms', 'knowledge', 'playbooks', 'warnings'] as const satisfies readonly Layer[];

/** A layer as it is written: one of them, or `core` for four. */
export const LAYER_NAMES = ['core', ...LAYERS] as const;

/** How the tree is put before the model: a window on what the task needs, every path of it, or these and every document. */
export const TREE_CONTEXTS = ['window', 'tree', 'tree+docs'] as const;

/** What one run does without, as its state keeps it. */
export interface Arm {
  without: Layer[];
  context: (typeof TREE_CONTEXTS)[number];
}

/** A run that has everything. */
export const WHOLE: Arm = { without: [], context: 'window' };

/** The layers that these names mean, each once, in the order of {@link LAYERS}. */
export function layersOf(names: readonly (typeof LAYER_NAMES)[number][]): Layer[] {
  const meant = new Set<string>(names.flatMap((name) => (name === 'core' ? CORE_LAYERS : [name])));
  return LAYERS.filter((layer) => meant.has(layer));
}
