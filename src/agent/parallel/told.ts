import { type ConflictSide, diffFile, type ForkConflict, versionOf } from '../../sandbox/index.js';
import { maskPatch } from '../../tools/index.js';
import type { NodeEnv } from '../node.js';
import type { RunState } from '../state.js';
import type { Outcome } from './schema.js';

/** Characters of one version that are shown as a diff; the file itself holds the rest. */
const DIFF_CHARS = 4_000;
/** Characters of a sub-agent's last words that are passed on. */
const SAID_CHARS = 400;

const STATES = { done: '做完了', stopped: '没有做完', failed: '没有做成' } as const;
const KINDS: Record<ForkConflict['kind'], string> = {
  text: '同一处改得不一样',
  added: '都新建了它，内容不一样',
  deleted: '一方删除，一方修改',
  moved: '一方移动或删除，另一方也动了它',
  place: '一方要它是文件，一方要它是目录',
  binary: '不是文本，没法合并',
};

/** How each part ended, one line or more each; '' where the work was not split. */
export function partLines(state: Pick<RunState, 'agents' | 'split'>, withWords = true): string {
  const parts = (state.split?.parts ?? []).flatMap(({ name, title }) => {
    const legs = (state.agents ?? []).filter((one) => one.name === name || one.name === `${name}-fix`);
    const first = legs[0];
    return first ? [partLine(first, legs, title, withWords)] : [];
  });
  return parts.join('\n');
}

function partLine(first: Outcome, legs: readonly Outcome[], title: string, withWords: boolean): string {
  const files = [...new Set(legs.flatMap((leg) => leg.files))];
  const changed = files.length > 0 ? `，改了 ${files.join('、')}` : '，没有改动';
  const why =
    first.why === null
      ? ''
      : `（${first.why}${first.state === 'failed' && files.length > 0 ? '；它的改动没有采用' : ''}）`;
  const words = withWords ? legs.at(-1)!.said.trim() : '';
  const said = words === '' ? '' : `\n  ${cut(words)}`;
  return `- ${title}：${STATES[first.state]}${why}${first.state === 'failed' ? '' : changed}${said}`;
}

function cut(words: string): string {
  const line = words.replace(/\s*\n\s*/g, ' ');
  return line.length > SAID_CHARS ? `${line.slice(0, SAID_CHARS)}…` : line;
}

/** A conflict in one line: where, what kind, whose. */
export function conflictLine(conflict: ForkConflict, state: Pick<RunState, 'split'>): string {
  const titles = conflict.sides.map(({ name }) => titleOf(name, state));
  const where =
    conflict.paths.length > 1 ? `${conflict.path}（连同 ${conflict.paths.slice(1).join('、')}）` : conflict.path;
  return `${where}：${KINDS[conflict.kind]}（${titles.map((title) => `「${title}」`).join('和')}）`;
}

/** The versions of a conflict, each as a diff against what was there. */
export function conflictVersions(
  conflict: ForkConflict,
  state: Pick<RunState, 'split'>,
  env: Pick<NodeEnv, 'project'>,
): { title: string; diff: string }[] {
  return conflict.sides.map((side) => ({ title: titleOf(side.name, state), diff: diffOf(conflict, side, env) }));
}

/** What a sub-agent is called among people. */
export function titleOf(name: string, { split }: Pick<RunState, 'split'>): string {
  return split?.parts.find((part) => name === part.name || name === `${part.name}-fix`)?.title ?? name;
}

/** One side's version against what was there. */
function diffOf(conflict: ForkConflict, side: ConflictSide, { project }: Pick<NodeEnv, 'project'>): string {
  const { stateDir } = project.layout;
  if (side.movedTo !== undefined) return `移到了 ${side.movedTo}`;
  const before = versionOf(stateDir, side.id, conflict.before);
  const { patch } = diffFile(conflict.path, before, versionOf(stateDir, side.id, side.after));
  const shown = maskPatch(patch);
  return shown.length > DIFF_CHARS ? `${shown.slice(0, DIFF_CHARS)}\n…（后面的没有列出）` : shown;
}
