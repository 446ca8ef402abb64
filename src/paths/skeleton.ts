import { estimateTokens } from '../text/index.js';
import { type MapNode, type SkeletonSources, treeOf } from './mapTree.js';
import { folderOf, isTeamLayer } from './rules.js';
import type { Skeleton } from './types.js';

/** Whatever the repository: what a model can take in at one look (DESIGN: skeleton). */
export const MAX_NODES = 200;
export const MAX_TOKENS = 1_000;
/** Levels shown before folders are folded, after folders with one child were lifted. */
export const MAX_DEPTH = 5;

export interface SkeletonOptions {
  /** At most {@link MAX_NODES}. */
  maxNodes?: number;
  /** At most {@link MAX_TOKENS}. */
  maxTokens?: number;
  /** Levels to show, at most {@link MAX_DEPTH}. */
  depth?: number;
  /** Only this folder is shown; of a file, its folder with the file first. Relative to the root; the whole project when empty or `.`. */
  focus?: string;
  /** Who reads the map, and so how it says to see more: a model has `expand_path`, a person `xihe expand`. */
  reader?: 'model' | 'person';
}

/** How to see what a map leaves out. */
interface SeeMore {
  what: string;
  of: (path: string) => string;
}
const SEE_MORE: Record<'model' | 'person', SeeMore> = {
  model: { what: 'expand_path', of: (path) => `expand_path("${path}")` },
  person: { what: 'xihe expand <路径>', of: (path) => `xihe expand ${path}` },
};

/**
 * A map of the project: folders and the files that matter most, each with its part and the team's name of its module.
 * Bounded in nodes and tokens whatever the size of the tree; what is cut says how much and how to see it.
 */
export function skeletonOf(sources: SkeletonSources, options: SkeletonOptions = {}): Skeleton {
  const maxNodes = Math.min(MAX_NODES, Math.max(1, options.maxNodes ?? MAX_NODES));
  const maxTokens = Math.min(MAX_TOKENS, Math.max(60, options.maxTokens ?? MAX_TOKENS));
  const depth = Math.min(MAX_DEPTH, Math.max(1, options.depth ?? MAX_DEPTH));
  const focus = options.focus === '.' ? '' : (options.focus ?? '');
  const folder = sources.paths.includes(focus) ? folderOf(focus) : focus;
  const root = treeOf(sources, folder, folder === focus ? undefined : focus);
  if (root.children!.length === 0) return nothingIn(folder);

  const more = SEE_MORE[options.reader ?? 'model'];
  const title = titleOf(folder, sources);
  const shown = choose(
    root,
    maxNodes,
    maxTokens - estimateTokens(headline(title, root.files, root.files, more)),
    depth,
  );
  for (;;) {
    const result = render(root, title, more);
    // The estimate of single lines is not that of the whole; what is still too much goes, least important first.
    if (result.tokens <= maxTokens || shown.length === 0) return result;
    for (let i = 0; i < Math.max(1, Math.ceil(shown.length / 50)); i++) shown.pop()!.shown = false;
  }
}

function titleOf(folder: string, sources: SkeletonSources): string {
  if (folder === '') return '项目骨架';
  const module = sources.moduleOf(folder);
  return `${folder}/ 的骨架${module ? ` 〔${module}〕` : ''}`;
}

function nothingIn(folder: string): Skeleton {
  const text =
    folder === '' ? '项目是空的：没有可列出的文件。' : `${folder}/ 下没有可列出的文件：它是空的，或被忽略规则排除了。`;
  return { text, nodes: 0, tokens: estimateTokens(text), omitted: 0 };
}

/** Takes nodes by importance, parents before children, until a bound is reached. */
function choose(root: MapNode, maxNodes: number, maxTokens: number, depth: number): MapNode[] {
  const queue = new BestFirst();
  queue.add(root.children!);
  const shown: MapNode[] = [];
  let tokens = 0;
  for (let node = queue.take(); node !== undefined && shown.length < maxNodes; node = queue.take()) {
    const cost = estimateTokens(`${lineOf(node, 99)}\n`);
    if (tokens + cost > maxTokens) break;
    tokens += cost;
    node.shown = true;
    shown.push(node);
    // The team's layer speaks through its terms; of the map it is one line, unless the map is of that layer.
    const opens = !isTeamLayer(`${node.path}/`) || isTeamLayer(`${root.path}/`);
    if (node.children && node.depth < depth && opens) queue.add(node.children);
  }
  return shown;
}

/** A priority queue; a binary heap, because a flat folder may hold thousands. */
class BestFirst {
  readonly #heap: MapNode[] = [];

  add(nodes: readonly MapNode[]): void {
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

  take(): MapNode | undefined {
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

function before(a: MapNode, b: MapNode): boolean {
  return a.importance !== b.importance ? a.importance > b.importance : a.path < b.path;
}

function lineOf(node: MapNode, hidden: number): string {
  const indent = '  '.repeat(node.depth - 1);
  const module = node.module ? ` 〔${node.module}〕` : '';
  if (node.children === undefined) return `${indent}${node.label}${node.role ? ` [${node.role}]` : ''}${module}`;
  // The part of a folder is said once, at the outermost folder that has it.
  const role = node.role && node.role !== node.parent?.role ? ` [${node.role}]` : '';
  return `${indent}${node.label}/${role}${module}${hidden > 0 ? ` +${hidden}` : ''}`;
}

function headline(title: string, files: number, omitted: number, more: SeeMore): string {
  const cut = omitted > 0 ? `，${omitted} 个未列出（目录后的 +N；用 ${more.what} 看）` : '';
  return `${title}：${files} 个文件${cut}`;
}

function render(root: MapNode, title: string, more: SeeMore): Skeleton {
  const lines: string[] = [];
  const visit = (node: MapNode): number => {
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
  const omitted = root.files - listed;
  const direct = root.children!.filter((child) => !child.shown).length;
  const where = root.path === '' ? '根目录' : root.path;
  const rest = direct > 0 ? [`… ${where}另有 ${direct} 项，${more.of(root.path || '.')} 可看`] : [];
  const text = [headline(title, root.files, omitted, more), ...lines, ...rest].join('\n');
  return { text, nodes: lines.length, tokens: estimateTokens(text), omitted };
}

function sortForReading(node: MapNode): void {
  node.children?.sort(
    (a, b) => Number(b.children !== undefined) - Number(a.children !== undefined) || (a.label < b.label ? -1 : 1),
  );
  for (const child of node.children ?? []) if (child.shown) sortForReading(child);
}
