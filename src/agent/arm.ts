import { type Arm, CORE_LAYERS, type Layer, layersOf, WHOLE } from '../layers.js';
import { openPaths, type PathContext } from '../paths/index.js';
import type { AnyContract } from '../tools/index.js';
import type { CoreResult, ZhCore } from '../zhcore/index.js';
import { nothingRetrieved } from './injection.js';
import type { Project } from './project.js';
import type { RunOptions, RunState } from './state.js';

/**
 * Arms of a comparison: the same run with a layer, with several or with all of them left out. One place says what that means: the
 * project that nodes get is a smaller one, and they need not know.
 */

/** Tools that speak for a layer, and go with it; those of several go with the last. */
const LAYER_TOOLS: Readonly<Record<string, readonly Layer[]>> = {
  lookup_knowledge: ['knowledge'],
  zh_core_query: CORE_LAYERS,
  load_context: ['paths'],
  expand_path: ['paths'],
  lookup_file: ['paths'],
};

/**
 * Longest tool result of a run without path context, in tokens: plain agents read files whole, up to 25,000 tokens, and that is what
 * such a run stands for.
 */
export const PLAIN_RESULT_TOKENS = 25_000;

/** What a run does without: its own options, else the settings. */
export function armFor(options: Partial<RunOptions> | undefined, settings: Project['config']['run']): Arm {
  return {
    without: layersOf(options?.without ?? settings.without),
    context: options?.context ?? settings.context,
  };
}

/** What this run does without. */
export function armOf(state: Pick<RunState, 'arm'>): Arm {
  return state.arm ?? WHOLE;
}

export function isWithout(state: Pick<RunState, 'arm'>, ...layers: readonly Layer[]): boolean {
  return layers.every((layer) => armOf(state).without.includes(layer));
}

/** Nothing of ours lies before the model: what any agent with these tools would be told. */
export function isPlain(state: Pick<RunState, 'arm'>): boolean {
  return isWithout(state, ...CORE_LAYERS, 'paths');
}

/** Of these tools, those of layers that the run has. */
export function toolsIn(state: Pick<RunState, 'arm'>, tools: readonly AnyContract[]): AnyContract[] {
  return tools.filter((tool) => {
    const layers = LAYER_TOOLS[tool.name];
    return layers === undefined || !isWithout(state, ...layers);
  });
}

/** Path contexts of projects without history or terms, by what they lack: they live as long as their project. */
const lessPaths = new WeakMap<Project, Map<string, Promise<PathContext>>>();

/** The project as a run sees it that does without some layers; the same one where it has all. */
export function projectIn(project: Project, arm: Arm | null): Project {
  if (arm === null || arm.without.length === 0) return project;
  const off = new Set(arm.without);
  const core = coreIn(project.core, off);
  const isWhole = !off.has('terms') && !off.has('history');
  return { ...project, core, paths: isWhole ? project.paths : (signal) => pathsWithout(project, off, signal) };
}

async function pathsWithout(project: Project, off: ReadonlySet<Layer>, signal?: AbortSignal): Promise<PathContext> {
  const known = lessPaths.get(project) ?? new Map<string, Promise<PathContext>>();
  lessPaths.set(project, known);
  const key = [off.has('terms'), off.has('history')].join();
  const opening = known.get(key);
  if (opening) {
    const context = await opening;
    await context.refresh();
    return context;
  }
  const context = openPaths({
    root: project.layout.root,
    stateDir: project.layout.stateDir,
    ...(off.has('terms') ? {} : { terms: project.core.termLookup() }),
    ...(off.has('history') ? {} : { history: await project.history() }),
    ...(signal ? { signal } : {}),
  });
  known.set(key, context);
  context.catch(() => known.delete(key));
  return context;
}

/** The core with the lists of these layers empty. */
function coreIn(core: ZhCore, off: ReadonlySet<Layer>): ZhCore {
  const less = (found: CoreResult): CoreResult => ({
    ...found,
    ...Object.fromEntries(CORE_LAYERS.filter((layer) => off.has(layer)).map((layer) => [layer, []])),
  });
  const isOff = CORE_LAYERS.every((layer) => off.has(layer));
  const notFound = { found: false, primary: null, supplement: null };
  const instead: Partial<ZhCore> = {
    query: (...asked) => (isOff ? nothingRetrieved(core.dataVersion) : less(core.query(...asked))),
    ask: async (...asked) => (isOff ? nothingRetrieved(core.dataVersion) : less(await core.ask(...asked))),
    ...(off.has('knowledge') ? { lookup: () => notFound, askLookup: async () => notFound } : {}),
    ...(off.has('warnings') ? { warningsForDiff: () => [], warningsForFiles: () => [] } : {}),
    ...(off.has('terms') ? { symbolsToTerms: () => [] } : {}),
  };
  return new Proxy(core, {
    get(target, key) {
      if (Object.hasOwn(instead, key)) return instead[key as keyof ZhCore];
      const own: unknown = Reflect.get(target, key, target);
      // Its methods reach for private parts, which a proxy has not.
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
