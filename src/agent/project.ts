import { join } from 'node:path';
import { loadConfig, type XiheConfig } from '../config.js';
import { type History, openHistory } from '../history/index.js';
import { LastGoodFolder } from '../knowledge/index.js';
import { openLayout, type ProjectLayout } from '../layout.js';
import { Hotspots, openPaths, type PathContext } from '../paths/index.js';
import { AuditLog, Changeset, SideEffectLedger } from '../sandbox/index.js';
import { BUILTIN_NAMES, loadTeamTools, McpHub, Policy, type TeamToolProblem, ToolRegistry } from '../tools/index.js';
import { openZhCore, Proposals, QueryLog, RunLog, type ZhCore } from '../zhcore/index.js';
import { openReranker } from './rerank.js';

/** What one open project offers to the nodes; each part is opened on first use and kept. */
export interface Project {
  layout: ProjectLayout;
  config: XiheConfig;
  core: ZhCore;
  /** Without the tools of MCP servers, which have to be started first. */
  tools: ToolRegistry;
  mcp: McpHub;
  /** With them: every trusted server is started that is not open. @param say told what could not be used, in Chinese */
  allTools(signal?: AbortSignal, say?: (text: string) => void): Promise<ToolRegistry>;
  toolProblems: TeamToolProblem[];
  /** What may be done without a question, what not, and what not at all. */
  policy: Policy;
  audit: AuditLog;
  /** What was asked and what it brought, for `xihe stats` and `xihe stale`. */
  queryLog: QueryLog;
  /** How runs ended and what people said of them, for `xihe errors`. */
  runLog: RunLog;
  /** What people's remarks would teach the core, until somebody decides. */
  proposals: Proposals;
  sideEffects: SideEffectLedger;
  /** This process stays: the tree is watched, so that a look at it costs what changed. To be set before `paths` is called. */
  stays: boolean;
  /** The path index, fresh as of this call. */
  paths(signal?: AbortSignal): Promise<PathContext>;
  /** What runs use, shared between them and between processes. */
  hotspots: Hotspots;
  history(): Promise<History>;
  /** The changeset of that id, made on first use. */
  changeset(id: string): Changeset;
}

const open = new Map<string, Promise<Project>>();

/**
 * Opens a project, or returns the one that this process already has (its core and index refreshed).
 *
 * @param repo the project root
 * @param env where settings come from
 * @throws XiheError REPO_NOT_FOUND, STATE_UNWRITABLE, CONFIG_INVALID
 */
export async function openProject(repo: string, env: NodeJS.ProcessEnv = process.env): Promise<Project> {
  const layout = openLayout(repo, env);
  const known = open.get(layout.root);
  if (known) {
    const project = await known;
    project.core.reload();
    project.config = loadConfig(layout.layerDir, env);
    project.mcp.reload();
    Object.assign(project, toolsOf(layout, project.config, project.mcp), { policy: policyOf(layout, env) });
    return project;
  }
  const opening = Promise.resolve().then(() => build(layout, env));
  open.set(layout.root, opening);
  // A project that failed to open is tried afresh next time: its settings may have been mended.
  opening.catch(() => open.delete(layout.root));
  return opening;
}

/** Closes a project that this process won't need again; opening it later starts afresh. */
export async function closeProject(project: Project): Promise<void> {
  open.delete(project.layout.root);
  await project.mcp.close();
  await project.core.close();
}

function build(layout: ProjectLayout, env: NodeJS.ProcessEnv): Project {
  const config = loadConfig(layout.layerDir, env);
  const rerank = openReranker(config);
  const core = openZhCore({
    projectDir: layout.layerDir,
    cacheDir: layout.stateDir,
    vectors: config,
    ...(rerank ? { rerank } : {}),
  });
  const mcp = new McpHub(layout.root, layout.layerDir, env);
  let history: Promise<History> | undefined;
  let paths: Promise<PathContext> | undefined;
  const project: Project = {
    layout,
    config,
    core,
    stays: false,
    ...toolsOf(layout, config, mcp),
    mcp,
    async allTools(signal, say) {
      if (mcp.isEmpty) return project.tools;
      return project.tools.with(await mcp.tools({ signal, ...(say ? { say } : {}) }));
    },
    policy: policyOf(layout, env),
    audit: new AuditLog(layout.stateDir),
    queryLog: new QueryLog(layout.stateDir),
    runLog: new RunLog(layout.stateDir),
    proposals: new Proposals(layout.stateDir),
    sideEffects: new SideEffectLedger(layout.stateDir),
    hotspots: new Hotspots(layout.stateDir),
    history() {
      history ??= openHistory(layout.root, layout.stateDir, config.history);
      return history;
    },
    async paths(signal) {
      if (paths) {
        const context = await paths;
        await context.refresh();
        return context;
      }
      paths = project.history().then((h) =>
        openPaths({
          root: layout.root,
          stateDir: layout.stateDir,
          terms: core.termLookup(),
          history: h,
          ...(signal ? { signal } : {}),
        }),
      );
      paths.catch(() => {
        paths = undefined;
      });
      const context = await paths;
      if (project.stays) context.watch();
      return context;
    },
    changeset: (id) => openChangeset(layout, id),
  };
  return project;
}

/**
 * The tools: built in, of the systems that are set up, and the team's as their files are now. Unlike an entry of the core, a tool whose file is broken is not kept in its last good
 * version: it acts, and an act must be what its file says.
 */
function toolsOf(layout: ProjectLayout, config: XiheConfig, mcp: McpHub): Pick<Project, 'tools' | 'toolProblems'> {
  const { tools, problems } = loadTeamTools(layout.layerDir, BUILTIN_NAMES, process.env, config.model.timeoutSeconds);
  const dolphin = config.dolphin.address !== undefined;
  const registry = new ToolRegistry(tools, { dolphin }, { prefixes: mcp.prefixes });
  return { tools: registry, toolProblems: [...problems, ...mcp.problems] };
}

/** The rules as their files are now; of a broken one, what its last good version forbids. */
function policyOf({ layerDir, stateDir }: ProjectLayout, env: NodeJS.ProcessEnv): Policy {
  return Policy.load({ layerDir, env, lastGood: new LastGoodFolder(join(stateDir, 'last-good'), 'policy') });
}

function openChangeset(layout: ProjectLayout, id: string): Changeset {
  return Changeset.create(layout.stateDir, layout.root, id);
}
