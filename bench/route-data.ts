// Utterances with the route that people gave them, and how routes and tools are scored.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PreviousIntent } from '../src/agent/routing/index.js';

export const ROUTES = ['qa', 'edit', 'tool', 'chat'] as const;
export type RouteKind = (typeof ROUTES)[number];

/** One utterance of a set. */
export interface Case {
  id: string;
  text: string;
  route: RouteKind;
  /** The second thing that it asks for. */
  second_route?: RouteKind;
  tool?: string;
  /** What makes it awkward: `neg`, `noun`, `polite_q`, … */
  trap?: string[];
  /** What the thread was about before. */
  previous?: PreviousIntent;
}

/** A tool contract of a set; parameters play no part in choosing. */
export interface ToolCase {
  name: string;
  description: string;
  examples: string[];
}

async function readLines<T>(path: string): Promise<T[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}

/** @param split name of the file without `.jsonl` */
export const readCases = (folder: string, split: string) => readLines<Case>(join(folder, `${split}.jsonl`));
export const readTools = (folder: string) => readLines<ToolCase>(join(folder, 'tools.jsonl'));

/** What a system said about one utterance. */
export interface Answer {
  /** Kinds in order; keyword rules know one. */
  routes: RouteKind[];
  why?: string;
  ms: number;
}

export interface Wrong {
  id: string;
  text: string;
  want: string;
  got: string;
  dangerous: boolean;
  why?: string;
}

const rounded = (value: number) => Number(value.toFixed(4));

/**
 * Scores routes. The first route counts for accuracy. `dangerous`: an utterance without an intent to act got an act in any
 * place; `missed`: an act was asked for, first or second, and none was given.
 */
export function scoreRoutes(cases: readonly Case[], answers: readonly Answer[]) {
  const confusion = Object.fromEntries(ROUTES.map((r) => [r, Object.fromEntries(ROUTES.map((p) => [p, 0]))])) as Record<
    RouteKind,
    Record<RouteKind, number>
  >;
  const traps = new Map<string, { n: number; right: number; dangerous: number }>();
  const count = { right: 0, dangerous: 0, safeN: 0, missed: 0, toolN: 0, pairs: 0, pairsRight: 0 };
  const wrong: Wrong[] = [];
  cases.forEach((one, i) => {
    const { routes, why } = answers[i]!;
    const first = routes[0] ?? 'qa';
    confusion[one.route][first] += 1;
    const right = first === one.route;
    const wantsTool = one.route === 'tool' || one.second_route === 'tool';
    const acts = routes.includes('tool');
    const dangerous = !wantsTool && acts;
    count.right += Number(right);
    count.dangerous += Number(dangerous);
    count.safeN += Number(!wantsTool);
    count.toolN += Number(wantsTool);
    count.missed += Number(wantsTool && !acts);
    const want = one.second_route === undefined ? [one.route] : [one.route, one.second_route];
    const whole = want.join('+') === routes.join('+');
    if (one.second_route !== undefined) {
      count.pairs += 1;
      count.pairsRight += Number(whole);
    }
    for (const trap of one.trap ?? ['none']) {
      const sum = traps.get(trap) ?? { n: 0, right: 0, dangerous: 0 };
      traps.set(trap, {
        n: sum.n + 1,
        right: sum.right + Number(right),
        dangerous: sum.dangerous + Number(dangerous),
      });
    }
    if (!whole)
      wrong.push({
        id: one.id,
        text: one.text,
        want: want.join('+'),
        got: routes.join('+'),
        dangerous,
        ...(why === undefined ? {} : { why }),
      });
  });
  const { right, ...rest } = count;
  return {
    report: {
      n: cases.length,
      accuracy: rounded(right / cases.length),
      macroF1: rounded(macroF1(confusion)),
      ...rest,
      confusion,
      traps: Object.fromEntries([...traps].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    wrong,
  };
}

function macroF1(confusion: Record<RouteKind, Record<RouteKind, number>>): number {
  const scores = ROUTES.map((kind) => {
    const hit = confusion[kind][kind];
    const wanted = ROUTES.reduce((sum, other) => sum + confusion[kind][other], 0);
    const given = ROUTES.reduce((sum, other) => sum + confusion[other][kind], 0);
    return wanted + given === 0 ? 0 : (2 * hit) / (wanted + given);
  });
  return scores.reduce((sum, score) => sum + score, 0) / ROUTES.length;
}

/** Of the utterances that name a tool, the share whose tool is first, and among the first three. */
export function scoreTools(cases: readonly Case[], rank: (one: Case) => string[]) {
  let n = 0;
  let first = 0;
  let three = 0;
  const wrong: { id: string; text: string; want: string; got: string[] }[] = [];
  for (const one of cases) {
    if (one.tool === undefined) continue;
    const top = rank(one).slice(0, 3);
    n += 1;
    first += Number(top[0] === one.tool);
    three += Number(top.includes(one.tool));
    if (top[0] !== one.tool) wrong.push({ id: one.id, text: one.text, want: one.tool, got: top });
  }
  const share = (hits: number) => (n === 0 ? 0 : rounded(hits / n));
  return { report: { tool_n: n, tool_hit1: share(first), tool_hit3: share(three) }, wrong };
}
