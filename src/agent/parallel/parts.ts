import type { PathContext } from '../../paths/index.js';
import { isWithout } from '../arm.js';
import type { NodeEnv } from '../node.js';
import { route } from '../routing/index.js';
import type { Plan, RunState } from '../state.js';
import type { PlanPart } from './schema.js';

/** Files that a part starts from: what it changes lies there, or beside. */
const FILES_OF_PART = 2;
/** A candidate counts that is at least so near to the best one: the rest only share a word. */
const NEAR_BEST = 0.6;
/** Characters of a part's name. */
const TITLE_CHARS = 24;

/** A line of a list: 1. 2、 3） (4) ① 一、 - * • */
const LISTED =
  /^\s*(?:[-*•]\s+|\d{1,2}\s*[.．、)）]\s*|[（(]\s*\d{1,2}\s*[)）]\s*|[一二三四五六七八九十]、|[①-⑨]\s*)(?=\S)/;
/**
 * Words that lead to another part, or to an order. Where one stands the parts are not independent, or may not be: then one conversation
 * does all of them, as ever.
 */
const LEADS_ELSEWHERE =
  /然后|然後|之后|之後|接着|接著|随后|最后|最後|以后|完成后|改完|做完|[先再]|基于|依据|根据上|依赖|上面|上述|上一|前面|前者|后者|前一|该|它|其中|这个|这些|这里|同样|一样|一致|第[一二三四五\d]+[条步件项]/;

/**
 * The parts of a request that can be done side by side: listed by the user, each a change by itself, none of which speaks of another, in
 * files that differ and don't import each other. One doubt and there are none: one conversation is always right, several only where nothing
 * ties them.
 *
 * @param most parts at once; more are joined, neighbours with neighbours
 * @returns [] where the request is one piece of work
 */
export async function partsOf(
  text: string,
  plan: Pick<Plan, 'playbook' | 'taskType'>,
  paths: PathContext,
  most: number,
): Promise<PlanPart[]> {
  // The steps of a playbook have an order.
  if (most < 2 || plan.playbook !== null) return [];
  const items = itemsOf(text);
  if (items.length < 2 || items.some((item) => LEADS_ELSEWHERE.test(item) || !isChange(item))) return [];
  const parts: PlanPart[] = [];
  for (const item of items) {
    const files = await filesOf(item, plan, paths);
    if (files.length === 0) return [];
    parts.push({ title: titleOf(item), instruction: item, files });
  }
  return (await areTied(parts, paths)) ? [] : joined(parts, most);
}

/** Whether the parts of a plan are done side by side in this run: not where a comparison has taken away what finds the files. */
export function isParallel(state: Pick<RunState, 'arm'>, env: Pick<NodeEnv, 'project'>): boolean {
  return env.project.config.run.maxAgents > 1 && !isWithout(state, 'paths');
}

/** What a user listed: lines with numbers or bullets, or pieces between semicolons. */
function itemsOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const listed = lines.filter((line) => LISTED.test(line));
  // What stands before a list introduces it; what stands behind may be about all of it, or about the last.
  const isList = listed.length >= 2 && LISTED.test(lines.at(-1)!);
  if (isList)
    return listed.map((line) =>
      line
        .replace(LISTED, '')
        .trim()
        .replace(/[；;。，,]$/, ''),
    );
  if (lines.length > 1) return [];
  const [, rest] = /^[^：:；;]{0,12}[：:](.+)$/.exec(text) ?? [undefined, text];
  return rest!
    .split(/[；;]/)
    .map((piece) =>
      piece
        .replace(LISTED, '')
        .trim()
        .replace(/[。，,]$/, ''),
    )
    .filter((piece) => piece !== '');
}

function isChange(item: string): boolean {
  const { intents } = route(item);
  return intents.length === 1 && intents[0]!.kind === 'edit';
}

function titleOf(item: string): string {
  const chars = [...item];
  return chars.length > TITLE_CHARS ? `${chars.slice(0, TITLE_CHARS).join('')}…` : item;
}

async function filesOf(item: string, { taskType }: Pick<Plan, 'taskType'>, paths: PathContext): Promise<string[]> {
  const { candidates } = await paths.lookupFile(item, { topK: FILES_OF_PART, taskType });
  const best = candidates[0]?.score ?? 0;
  return candidates.filter(({ score }) => score >= best * NEAR_BEST).map(({ path }) => path as string);
}

/** Whether two parts share a file, or a file of one imports or goes along with one of the other. */
async function areTied(parts: readonly PlanPart[], paths: PathContext): Promise<boolean> {
  for (const [i, part] of parts.entries()) {
    const near = new Set(part.files);
    for (const file of part.files) for (const tie of await paths.tiesOf(file)) near.add(tie);
    if (parts.some((other, j) => j !== i && other.files.some((file) => near.has(file)))) return true;
  }
  return false;
}

function joined(parts: readonly PlanPart[], most: number): PlanPart[] {
  if (parts.length <= most) return [...parts];
  return Array.from({ length: most }, (_, i) => {
    const own = parts.slice(Math.floor((i * parts.length) / most), Math.floor(((i + 1) * parts.length) / most));
    return {
      title: titleOf(own.map(({ title }) => title).join('；')),
      instruction: own.map(({ instruction }) => instruction).join('\n'),
      files: [...new Set(own.flatMap(({ files }) => files))],
    };
  });
}
