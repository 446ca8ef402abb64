import { identifiersOf } from '../text/index.js';
import type { ToolOutcome } from '../tools/index.js';
import { type CoreResult, renderHits, type Term } from '../zhcore/index.js';
import { inject, nothingRetrieved, ownLines, wasInjected } from './injection.js';
import { intentOf, type NodeEnv } from './node.js';
import type { Injection, RunState } from './state.js';
import type { CallSite } from './tool-context.js';

/** Entries that one tool result may bring to mind, by type: a reminder helps, a glossary would not. */
const MAX_REMINDERS = { terms: 3, warnings: 2, knowledge: 1 } as const;

/**
 * What a tool result should bring to mind: terms whose symbols it shows, and what the team knows about a module that was just
 * entered and that concerns the request. Each entry only once a run.
 *
 * @param already ledger lines of this step that the state does not have yet
 */
export function remind(
  state: RunState,
  env: NodeEnv,
  outcome: ToolOutcome,
  site: CallSite,
  already: readonly Injection[],
): { text: string; ledger: Injection[] } {
  const nothing = { text: '', ledger: [] };
  if (!outcome.ok) return nothing;
  const { core } = env.project;
  const shown = core.symbolsToTerms([...new Set(identifiersOf(outcome.text))]).map(asHit);
  const entered = enteredModule(state, env, site);
  const found = entered === undefined ? nothingRetrieved(core.dataVersion) : ofModule(entered, state, env);
  const terms = [...new Map([...shown, ...found.terms].map((hit) => [hit.entry.id, hit])).values()];
  const fresh = <T extends { entry: { id: string } }>(hits: readonly T[], max: number): T[] =>
    hits
      .filter(({ entry: { id } }) => !wasInjected(state, id) && !already.some((line) => line.id === id))
      .slice(0, max);
  const rendered = renderHits(
    {
      ...found,
      terms: fresh(terms, MAX_REMINDERS.terms),
      warnings: fresh(found.warnings, MAX_REMINDERS.warnings),
      knowledge: fresh(found.knowledge, MAX_REMINDERS.knowledge),
    },
    'execute',
    env.project.config.core,
  );
  if (rendered.injected.length === 0) return nothing;
  return { text: `提醒：\n${rendered.text}`, ledger: inject(state, 'execute', rendered.injected, env) };
}

/** What the team has settled about a module and that concerns the request; candidates would only distract in mid-work. */
function ofModule(module: string, state: RunState, env: NodeEnv): CoreResult {
  const intent = intentOf(state);
  const found = env.project.core.query({
    userIntent: intent.text,
    codeSymbols: identifiersOf(intent.text),
    taskType: intent.taskType ?? 'general',
    module,
    force: true,
  });
  const own = <T extends { entry: { module?: string; provenance: { status: string } } }>(hits: readonly T[]): T[] =>
    hits.filter(({ entry }) => entry.module === module && entry.provenance.status === 'verified');
  const { terms, warnings, knowledge } = found;
  return { ...found, terms: own(terms), warnings: own(warnings), knowledge: own(knowledge), playbooks: [] };
}

function asHit(term: Term) {
  return {
    type: 'term' as const,
    entry: term,
    provenance: term.provenance,
    score: 1,
    why: '工具结果里出现了它的符号',
    tokens: 0,
  };
}

/** The module of the file just read, when no earlier file of this run belongs to it. */
function enteredModule(state: RunState, env: NodeEnv, site: CallSite): string | undefined {
  const moduleOf = (path: string) => env.project.core.moduleOfPath(path);
  const newest = site.fed.at(-1);
  if (newest?.form !== 'read') return undefined;
  const module = moduleOf(newest.path);
  const before = [
    ...ownLines(state, state.fed).filter((f) => f.run === state.run && f.form !== 'skeleton'),
    ...site.fed.slice(0, -1),
  ];
  return module !== undefined && !before.some((f) => moduleOf(f.path) === module) ? module : undefined;
}
