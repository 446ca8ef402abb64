import type { ImportGraph } from './imports.js';
import { type Role, roleOf } from './roles.js';
import { folderOf, isLockFile, isTeamLayer } from './rules.js';

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
/** The one file that a map was asked for comes before all others of its folder. */
const ASKED_FACTOR = 50;
/** A folder has a part of its own when this share of its files plays it. */
const FOLDER_ROLE_SHARE = 0.8;
/** Files whose name tells how to start, at the root. */
const LANDMARK =
  /^(?:README[^/]*\.md|package\.json|pom\.xml|go\.mod|pyproject\.toml|build\.gradle(?:\.kts)?|Cargo\.toml|composer\.json)$/i;

export interface SkeletonSources {
  paths: readonly string[];
  graph: ImportGraph;
  churn: (path: string) => number;
  moduleOf: (path: string) => string | undefined;
}

/** A folder or file of the map. */
export interface MapNode {
  /** What is shown: several segments where single children were lifted. */
  label: string;
  path: string;
  depth: number;
  /** Undefined for a file. */
  children: MapNode[] | undefined;
  files: number;
  importance: number;
  module: string | undefined;
  /** Of a file its own, of a folder that of most files below it; `''` where nothing says one. */
  role: Role;
  parent: MapNode | undefined;
  shown: boolean;
}

/**
 * The tree of one folder's files, single children lifted, every node weighed. Depth counts from that folder.
 *
 * @param folder `''` for the whole project
 * @param asked a file that comes before all others
 */
export function treeOf(sources: SkeletonSources, folder = '', asked?: string): MapNode {
  const root = newNode(folder, folder, undefined, []);
  const folders = new Map<string, MapNode>([[folder, root]]);
  for (const path of sources.paths) {
    if (folder !== '' && !path.startsWith(`${folder}/`)) continue;
    const parent = folderNode(folderOf(path), folders);
    const file = newNode(path.slice(parent.path === '' ? 0 : parent.path.length + 1), path, parent, undefined);
    parent.children!.push(file);
  }
  lift(root);
  weigh(root, sources, asked);
  return root;
}

function newNode(label: string, path: string, parent: MapNode | undefined, children: MapNode[] | undefined): MapNode {
  return {
    label,
    path,
    parent,
    children,
    depth: 0,
    files: children ? 0 : 1,
    importance: 0,
    module: undefined,
    role: '',
    shown: false,
  };
}

function folderNode(path: string, folders: Map<string, MapNode>): MapNode {
  const known = folders.get(path);
  if (known) return known;
  const parent = folderNode(folderOf(path), folders);
  const node = newNode(path.slice(parent.path === '' ? 0 : parent.path.length + 1), path, parent, []);
  parent.children!.push(node);
  folders.set(path, node);
  return node;
}

/** A folder with one child is no level of its own: `src/main/java/com/mall` is one node, `utils/request.ts` one file. */
function lift(node: MapNode): void {
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

/** @returns how many files below play which part */
function weigh(node: MapNode, sources: SkeletonSources, asked: string | undefined): Map<Role, number> {
  const roles = new Map<Role, number>();
  for (const child of node.children ?? []) {
    child.depth = node.depth + 1;
    for (const [role, n] of weigh(child, sources, asked)) roles.set(role, (roles.get(role) ?? 0) + n);
  }
  if (node.children === undefined) roles.set(roleOf(node.path), 1);
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
  if (node.path === asked || asked?.startsWith(`${node.path}/`)) node.importance *= ASKED_FACTOR;
  if (node.children === undefined) node.role = roleOf(node.path);
  else if (node.path !== '' && !isTeamLayer(`${node.path}/`))
    node.role = [...roles].find(([, n]) => n >= FOLDER_ROLE_SHARE * node.files)?.[0] ?? '';
  return roles;
}

function partWeight(path: string): number {
  if (isTeamLayer(path) || isLockFile(path)) return 0.1;
  return LANDMARK.test(path) ? 1.3 : (ROLE_WEIGHT[roleOf(path)] ?? 1);
}

/** Each further file of one folder tells less than the one before, so that no large folder fills the map. */
function spread(children: MapNode[]): void {
  const files = children.filter((child) => child.children === undefined).sort((a, b) => b.importance - a.importance);
  for (const [i, file] of files.entries()) file.importance /= 1 + SIBLING_DECAY * i;
}

function fileImportance(node: MapNode, { graph, churn }: SkeletonSources): number {
  const part = partWeight(node.path);
  const references =
    1 + 0.3 * Math.log2(1 + graph.importersOf(node.path).length) + 0.15 * Math.log2(1 + churn(node.path));
  return part * references * DEPTH_DECAY ** node.depth;
}
