import { join } from 'node:path';
import { GRAIN_MAP, grainOf, type Hotspot, type PathContext, Workspace, type WorkspaceState } from '../paths/index.js';
import { estimateTokens, identifiersOf, readFileText, stableHash } from '../text/index.js';
import { armOf } from './arm.js';
import { agentOf } from './injection.js';
import { intentOf, type NodeEnv } from './node.js';
import type { Fed, Plan, RunState } from './state.js';

/** Hot paths beside the map of a request that goes on where the last one was. */
const HOT_SHOWN = 5;

/** What a task is told of the tree before it starts. */
export interface Surroundings {
  text: string;
  fed: Fed[];
}

/**
 * The part of the tree that a task's decision needs: the whole in few levels where something is redesigned, a coarse map for an ordinary
 * change, the file itself with what is tied to it and beside it where one function changes. A request that goes on in the same
 * part of the tree is told what was used there last.
 */
export async function surroundingsOf(state: RunState, env: NodeEnv, paths: PathContext): Promise<Surroundings> {
  const { without, context } = armOf(state);
  if (context !== 'window') {
    const docs = context === 'tree' ? '' : allDocuments(env.project.layout.root, paths.files);
    return { text: wholeTree(paths.files) + docs, fed: [] };
  }
  if (without.includes('paths')) return { text: '（没有）', fed: [] };
  const plan = state.planned!;
  const base = { run: state.run, intent: state.routed?.index ?? 0, turn: 0, ...agentOf(state) };
  const grain = grainOf({
    request: intentOf(state).text,
    taskType: plan.taskType,
    focus: plan.focus,
    isPinned: await isPinned(state, plan, paths),
  });
  const hot = state.workspace.focus === null ? [] : await hotBeside(plan, env, paths);
  const hotText = hot.map(({ path, summary }) => `- ${path}：${summary}`).join('\n');
  const tail = hotText === '' ? '' : `\n最近用过：\n${hotText}`;
  const hotFed = hot.map(({ path, summary }) => ({
    ...base,
    path,
    form: 'summary' as const,
    tokens: estimateTokens(summary),
    ...versionOf(paths, path),
  }));
  if (grain !== 'function') {
    const { text, tokens } = paths.loadContext(GRAIN_MAP[grain]);
    return {
      text: text + tail,
      fed: [{ ...base, path: '.', form: 'skeleton', tokens, version: stableHash(text) }, ...hotFed],
    };
  }
  const path = plan.focus[0]!;
  const { text, tokens } = await paths.expandPath(path);
  return {
    text: `${text}\n（只列出要改的文件和它周围的；别处用 load_context、expand_path 看）${tail}`,
    fed: [{ ...base, path, form: 'expand', tokens, ...versionOf(paths, path) }, ...hotFed],
  };
}

/** Every path of a project, by folder: what an agent is told that has no map. */
function wholeTree(files: readonly string[]): string {
  const folders = new Map<string, string[]>();
  for (const path of files) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), path.slice(folder.length)]);
  }
  const list = [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
  return list.map(([folder, names]) => [folder, ...names].join('\n  ')).join('\n');
}

/** What documents end in, and where a team's knowledge lies. */
const DOCUMENT = /\.(?:md|txt|rst|adoc)$|^\.xihe\/(?:knowledge|playbooks)\//i;

/** Every document of a project as it is: what an agent is given that is to know what the core knows. */
function allDocuments(root: string, files: readonly string[]): string {
  const texts = files
    .filter((path) => DOCUMENT.test(path))
    .map((path) => `${path}\n${readFileText(join(root, path)).text}`);
  return texts.map((text) => `\n\n${text.trim()}`).join('');
}

/** The window for a new request: where the last one left it, or a new one where the request turned to another part of the tree. */
export async function workspaceFor(
  state: RunState,
  paths: PathContext,
  starts: readonly string[],
): Promise<WorkspaceState> {
  const workspace = new Workspace(state.workspace);
  const tied = new Map<string, readonly string[]>();
  for (const place of [...state.workspace.history, ...(workspace.focus === null ? [] : [workspace.focus])])
    tied.set(place, await paths.tiesOf(place));
  const isElsewhere = workspace.isElsewhere(starts, (path) => tied.get(path) ?? []);
  return isElsewhere ? { focus: null, history: [] } : workspace.toJSON();
}

/** Whether the request means one function or class that lies in the first file of the plan. */
async function isPinned(state: RunState, plan: Plan, paths: PathContext): Promise<boolean> {
  const [first] = plan.focus;
  if (first === undefined || plan.taskType === 'feature') return false;
  const meant = plan.terms.filter(({ status }) => status === 'verified').flatMap(({ symbols }) => symbols);
  if (meant.some(({ name, file }) => file === first && name.includes('.'))) return true;
  for (const name of identifiersOf(intentOf(state).text))
    if ((await paths.findSymbol(name)).some(({ path }) => path === first)) return true;
  return false;
}

/** What was used last and the plan does not name already. */
async function hotBeside(plan: Plan, env: NodeEnv, paths: PathContext): Promise<Hotspot[]> {
  const named = new Set(plan.candidates.map(({ path }) => path));
  const hot = await env.project.hotspots.top(env.thread, HOT_SHOWN + named.size, paths);
  return hot.filter(({ path }) => !named.has(path)).slice(0, HOT_SHOWN);
}

function versionOf(paths: PathContext, path: string): { version?: string } {
  const version = paths.version(path);
  return version === undefined ? {} : { version };
}
