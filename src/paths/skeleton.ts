import { estimateTokens } from '../text/index.js';
import type { ImportGraph } from './imports.js';
import { type Role, roleOf } from './roles.js';
import { folderOf, isLockFile, isTeamLayer } from './rules.js';
import type { Skeleton } from './types.js';

/** Whatever the repository: what a model can take in at one look (DESIGN: skeleton). */
export const MAX_NODES = 200;
export const MAX_TOKENS = 1_000;
/** Levels shown before folders are folded, after folders with one child were lifted. */
export const MAX_DEPTH = 5;

/** How much a file of this part tells about a project's shape. */
const ROLE_WEIGHT: Partial<Record<Role, number>> = {
  entry: 1.5,
  controller: 1.3,
  service: 1.4,
  page: 1.2,
  route: 1.3,
  mapper: 1.1,
  model: 1.1,
  'data-layer': 1.2,
  store: 1.1,
  job: 1.2,
  types: 0.9,
  helper: 0.8,
  config: 0.6,
  doc: 0.5,
  style: 0.4,
  sql: 0.7,
  script: 0.5,
  i18n: 0.5,
  test: 0.35,
  mock: 0.2,
  example: 0.4,
  ci: 0.3,
  asset: 0.1,
};
/** Each level down counts this much less. */
const DEPTH_DECAY = 0.8;
/** The tenth file of a folder counts half of what it would count alone. */
const SIBLING_DECAY = 0.1;
/** Files whose name tells how to start, at the root. */
const LANDMARK =
  /^(?:README[^/]*\.md|package\.json|pom\.xml|go\.mod|pyproject\.toml|build\.gradle(?:\.kts)?|Cargo\.toml|composer\.json)$/i;

export interface SkeletonOptions {
  /** At most {@link MAX_NODES}. */
  maxNodes?: number;
  /** At most {@link MAX_TOKENS}. */
  maxTokens?: number;
  /** Levels to show, at most {@link MAX_DEPTH}. */
  depth?: number;
  /** Paths that the task is about; they and what lies around them come first. */
  focus?: string | readonly string[];
}

export interface SkeletonSources {
  paths: readonly string[];
  graph: ImportGraph;
  churn: (path: string) => number;
  moduleOf: (path: string) => string | undefined;
}

interface Node {
  /** What is shown: several segments where single children were lifted. */
  label: string;
  path: string;
  depth: number;
  /** Undefined for a file. */
  children: Node[] | undefined;
  files: number;
  importance: number;
  module: string | undefined;
  parent: Node | undefined;
  shown: boolean;
}

/**
 * A map of the project: folders and the files that matter most, each with its part and the team's name of its module.
 * Bounded in nodes and tokens whatever the size of the tree; what is cut says how much and how to see it.
 */
export function skeletonOf(sources: SkeletonSources, options: SkeletonOptions = {}): Skeleton {
  const maxNodes = Math.min(MAX_NODES, Math.max(1, options.maxNodes ?? MAX_NODES));
  const maxTokens = Math.min(MAX_TOKENS, Math.max(60, options.maxTokens ?? MAX_TOKENS));
  const depth = Math.min(MAX_DEPTH, Math.max(1, options.depth ?? MAX_DEPTH));
  const focus = typeof options.focus === 'string' ? [options.focus] : (options.focus ?? []);
  if (sources.paths.length === 0)
    return {
      text: '项目是空的：没有可列出的文件。',
      nodes: 0,
      tokens: estimateTokens('项目是空的：没有可列出的文件。'),
      omitted: 0,
    };

  const root = treeOf(sources, focus);
  const shown = choose(root, maxNodes, maxTokens, depth);
  for (;;) {
    const result = render(root, sources.paths.length);
    // The estimate of single lines is not that of the whole; what is still too much goes, least important first.
    if (result.tokens <= maxTokens || shown.length === 0) return result;
    for (let i = 0; i < Math.max(1, Math.ceil(shown.length / 50)); i++) shown.pop()!.shown = false;
  }
}

function treeOf(sources: SkeletonSources, focus: readonly string[]): Node {
  const root = newNode('', '', undefined, []);
  const folders = new Map<string, Node>([['', root]]);
  for (const path of sources.paths) {
    const parent = folderNode(folderOf(path), folders);
    const file = newNode(path.slice(parent.path === '' ? 0 : parent.path.length + 1), path, parent, undefined);
    parent.children!.push(file);
  }
  lift(root);
  weigh(root, sources, focus);
  return root;
}

function newNode(label: string, path: string, parent: Node | undefined, children: Node[] | undefined): Node {
  return {
    label,
    path,
    parent,
    children,
    depth: 0,
    files: children ? 0 : 1,
    importance: 0,
    module: undefined,
    shown: false,
  };
}

function folderNode(path: string, folders: Map<string, Node>): Node {
  const known = folders.get(path);
  if (known) return known;
  const parent = folderNode(folderOf(path), folders);
  const node = newNode(path.slice(parent.path === '' ? 0 : parent.path.length + 1), path, parent, []);
  parent.children!.push(node);
  folders.set(path, node);
  return node;
}

/** A folder with one child is no level of its own: `src/main/java/com/mall` is one node, `utils/request.ts` one file. */
function lift(node: Node): void {
  node.children = node.children?.map((child) => {
    let lifted = child;
    while (lifted.children?.length === 1) {
      const only = lifted.children[0]!;
      only.label = `${lifted.label}/${only.label}`;
      lifted = only;
    }
    lifted.parent = node;
    lift(lifted);
    return lifted;
  });
}

function weigh(node: Node, sources: SkeletonSources, focus: readonly string[]): void {
  for (const child of node.children ?? []) {
    child.depth = node.depth + 1;
    weigh(child, sources, focus);
  }
  if (node.path !== '') {
    const module = sources.moduleOf(node.path);
    // A module is named once, at the folder where it begins.
    node.module =
      module !== undefined && module !== (node.parent && sources.moduleOf(node.parent.path)) ? module : undefined;
  }
  if (node.children === undefined) node.importance = fileImportance(node, sources);
  else {
    node.files = node.children.reduce((sum, child) => sum + child.files, 0);
    spread(node.children);
    const best = Math.max(0, ...node.children.map((child) => child.importance));
    // Before its best file, and the more so the more it holds: an unlisted folder hides everything below it.
    node.importance = best * 1.05 + 0.15 * Math.log2(1 + node.files) * DEPTH_DECAY ** node.depth;
  }
  if (isNear(node.path, focus)) node.importance *= 3;
}

function partWeight(path: string): number {
  if (isTeamLayer(path) || isLockFile(path)) return 0.1;
  return LANDMARK.test(path) ? 1.3 : (ROLE_WEIGHT[roleOf(path)] ?? 1);
}

/** Each further file of one folder tells less than the one before, so that no large folder fills the map. */
function spread(children: Node[]): void {
  const files = children.filter((child) => child.children === undefined).sort((a, b) => b.importance - a.importance);
  for (const [i, file] of files.entries()) file.importance /= 1 + SIBLING_DECAY * i;
}

function fileImportance(node: Node, { graph, churn }: SkeletonSources): number {
  const part = partWeight(node.path);
  const references =
    1 + 0.3 * Math.log2(1 + graph.importersOf(node.path).length) + 0.15 * Math.log2(1 + churn(node.path));
  return part * references * DEPTH_DECAY ** node.depth;
}

/** On the way to a focus, the focus itself, or beside it. */
function isNear(path: string, focus: readonly string[]): boolean {
  return (
    path !== '' &&
    focus.some(
      (wanted) =>
        wanted === path ||
        wanted.startsWith(`${path}/`) ||
        path.startsWith(`${folderOf(wanted)}/`) ||
        path.startsWith(`${wanted}/`),
    )
  );
}

/** Takes nodes by importance, parents before children, until a bound is reached. */
function choose(root: Node, maxNodes: number, maxTokens: number, depth: number): Node[] {
  const queue = new BestFirst();
  queue.add(root.children!);
  const shown: Node[] = [];
  let tokens = estimateTokens(headline(0, 0));
  for (let node = queue.take(); node !== undefined && shown.length < maxNodes; node = queue.take()) {
    const cost = estimateTokens(`${lineOf(node, 99)}\n`);
    if (tokens + cost > maxTokens) break;
    tokens += cost;
    node.shown = true;
    shown.push(node);
    if (node.children && node.depth < depth) queue.add(node.children);
  }
  return shown;
}

/** A priority queue; a binary heap, because a flat folder may hold thousands. */
class BestFirst {
  readonly #heap: Node[] = [];

  add(nodes: readonly Node[]): void {
    for (const node of nodes) {
      this.#heap.push(node);
      for (let i = this.#heap.length - 1; i > 0; ) {
        const parent = (i - 1) >> 1;
        if (!before(this.#heap[i]!, this.#heap[parent]!)) break;
        this.#swap(i, parent);
        i = parent;
      }
    }
  }

  take(): Node | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (top === undefined || last === undefined || this.#heap.length === 0) return top;
    this.#heap[0] = last;
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let best = i;
      if (left < this.#heap.length && before(this.#heap[left]!, this.#heap[best]!)) best = left;
      if (right < this.#heap.length && before(this.#heap[right]!, this.#heap[best]!)) best = right;
      if (best === i) return top;
      this.#swap(i, best);
      i = best;
    }
  }

  #swap(a: number, b: number): void {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b]!, this.#heap[a]!];
  }
}

function before(a: Node, b: Node): boolean {
  return a.importance !== b.importance ? a.importance > b.importance : a.path < b.path;
}

function lineOf(node: Node, hidden: number): string {
  const indent = '  '.repeat(node.depth - 1);
  const module = node.module ? ` 〔${node.module}〕` : '';
  if (node.children === undefined) {
    const role = roleOf(node.path);
    return `${indent}${node.label}${role ? ` [${role}]` : ''}${module}`;
  }
  return `${indent}${node.label}/${module}${hidden > 0 ? ` +${hidden}` : ''}`;
}

function headline(files: number, omitted: number): string {
  const cut = omitted > 0 ? `，${omitted} 个未列出（目录后的 +N；用 expand_path 看）` : '';
  return `项目骨架：${files} 个文件${cut}`;
}

function render(root: Node, files: number): Skeleton {
  const lines: string[] = [];
  const visit = (node: Node): number => {
    const shown = node.children?.filter((child) => child.shown) ?? [];
    const at = lines.length;
    if (node !== root) lines.push('');
    const listed = node.children === undefined ? 1 : shown.map(visit).reduce((sum, n) => sum + n, 0);
    if (node !== root) lines[at] = lineOf(node, node.files - listed);
    return listed;
  };
  // Folders first, as people are used to; inside of them by name.
  sortForReading(root);
  const listed = visit(root);
  const omitted = files - listed;
  const direct = root.children!.filter((child) => !child.shown).length;
  const more = direct > 0 ? [`… 根目录另有 ${direct} 项，expand_path(".") 可看`] : [];
  const text = [headline(files, omitted), ...lines, ...more].join('\n');
  return { text, nodes: lines.length, tokens: estimateTokens(text), omitted };
}

function sortForReading(node: Node): void {
  node.children?.sort(
    (a, b) => Number(b.children !== undefined) - Number(a.children !== undefined) || (a.label < b.label ? -1 : 1),
  );
  for (const child of node.children ?? []) if (child.shown) sortForReading(child);
}
