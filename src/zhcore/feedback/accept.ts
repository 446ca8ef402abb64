import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { quoted, XiheError } from '../../errors.js';
import { leadsOut } from '../../inside.js';
import { parseFrontMatter, readYaml } from '../../knowledge/index.js';
import { writeAtomic } from '../../stateFile.js';
import { emitItem } from '../import/emit.js';
import { termSchema, warningSchema } from '../schema.js';
import type { Proposal, ProposedEntry } from './propose.js';

/** Where accepted terms and warnings go: files of their own, so that those that people write stay as they are. */
const FILES = { term: 'knowledge/terms/reviews.yaml', warning: 'knowledge/warnings/reviews.yaml' } as const;
const HEADS = {
  term: '# 从使用中记下的术语，由 xihe proposals accept 写入；可以随意修改',
  warning: '# 从评审意见记下的警示，由 xihe proposals accept 写入；可以随意修改',
} as const;

/** What accepting a proposal would write. */
export interface AcceptPlan {
  /** Relative to the project root, POSIX. */
  path: string;
  /** What is added, as it will stand in the file. */
  added: string;
  /** The whole file afterwards. */
  content: string;
}

export interface AcceptOptions {
  /** The project root, symlinks resolved. */
  root: string;
  /** `.xihe/`, absolute. */
  layerDir: string;
  /** `2026-12-01`. */
  today: string;
  /** File of a playbook of the team, relative to the root; undefined when there is none of that id. */
  playbookFile(id: string): string | undefined;
}

/**
 * What accepting a proposal would write. Changes nothing.
 *
 * @throws XiheError ENTRY_INVALID when the file that it belongs in can't be added to, PATH_OUTSIDE_PROJECT
 */
export function planAccept(proposal: Proposal, options: AcceptOptions): AcceptPlan {
  const { entry } = proposal;
  const plan = entry.type === 'step' ? stepPlan(entry, options) : listPlan(proposal, entry, options);
  assertInside(join(options.root, plan.path), options.root);
  return plan;
}

/**
 * Writes what {@link planAccept} planned, whole or not at all.
 *
 * @throws XiheError STATE_UNWRITABLE
 */
export function writeAccepted(plan: AcceptPlan, root: string): void {
  if (writeAtomic(join(root, plan.path), [plan.content])) return;
  throw new XiheError('STATE_UNWRITABLE', `写不进 ${plan.path}`, { hint: '给 .xihe/ 写权限再试。' });
}

function listPlan(
  { id, source, remark }: Proposal,
  entry: Exclude<ProposedEntry, { type: 'step' }>,
  { root, layerDir, today }: AcceptOptions,
): AcceptPlan {
  const origin = { confidence: 'medium', status: 'verified', source, reviewed_at: today };
  const value =
    entry.type === 'term'
      ? { id, keyword_ch: entry.keyword_ch, code_symbols: entry.code_symbols, note: remark, ...origin }
      : { id, danger: entry.danger, severity: 'warn', when: whenOf(entry), ...origin };
  const added = emitItem(value, '');
  const file = join(layerDir, FILES[entry.type]);
  const path = relativeTo(root, file);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : `${HEADS[entry.type]}\n`;
  const content = `${before}${before.endsWith('\n') ? '' : '\n'}\n${added}`;
  const schema = entry.type === 'term' ? termSchema : warningSchema;
  const yaml = readYaml(content);
  const items = yaml.ok && Array.isArray(yaml.value) ? yaml.value : undefined;
  const last = schema.safeParse(items?.at(-1));
  if (items === undefined || !last.success) {
    throw new XiheError('ENTRY_INVALID', `${path} 现在不是一串条目，加不进去`, {
      hint: '用 xihe lint 看哪里写坏了，改好再采纳。',
    });
  }
  return { path, added, content };
}

/** A warning has to say when; one without a place and without names speaks up wherever its own words are asked for. */
function whenOf({ when, danger }: Extract<ProposedEntry, { type: 'warning' }>) {
  const { paths, symbols } = when;
  if (paths.length + symbols.length === 0) return { keywords: [danger.slice(0, KEYWORD_CHARS)] };
  return { ...(symbols.length > 0 ? { symbols } : {}), ...(paths.length > 0 ? { paths } : {}) };
}

const KEYWORD_CHARS = 12;

function stepPlan(
  { playbook, step }: Extract<ProposedEntry, { type: 'step' }>,
  { root, playbookFile }: AcceptOptions,
): AcceptPlan {
  const path = playbookFile(playbook);
  if (path === undefined) {
    throw new XiheError('ENTRY_INVALID', `团队自己的流程模板里没有 ${quoted(playbook)}`, {
      hint: '它可能改了名或删了；把这一步手工写进合适的模板，再用 xihe proposals dismiss 放弃这条。',
    });
  }
  const before = readFileSync(join(root, path), 'utf8');
  const content = withStep(before, step);
  if (content === undefined) {
    throw new XiheError('ENTRY_INVALID', `${path} 的 steps 不是一行一步，加不进去`, {
      hint: `手工加上这一步：${step}；再用 xihe proposals dismiss 放弃这条。`,
    });
  }
  return { path, added: emitItem(step, '  '), content };
}

/** A playbook with one step more; nothing else of it changes. Undefined where its steps are no block list. */
function withStep(text: string, step: string): string | undefined {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^steps:\s*$/.test(line));
  if (at < 0) return undefined;
  let last = at;
  let indent: string | undefined;
  for (let i = at + 1; i < lines.length; i++) {
    const item = /^(\s*)- /.exec(lines[i] as string);
    if (item && (indent === undefined || item[1] === indent)) indent = item[1];
    else if (!/^\s+\S/.test(lines[i] as string)) break;
    last = i;
  }
  if (indent === undefined) return undefined;
  const eol = (lines[last] as string).endsWith('\r') ? '\r' : '';
  const line = emitItem(step, indent).trimEnd() + eol;
  const content = [...lines.slice(0, last + 1), line, ...lines.slice(last + 1)].join('\n');
  const stepsOf = (all: string) => parseFrontMatter(all).data.steps as unknown[];
  return isDeepStrictEqual(stepsOf(content), [...stepsOf(text), step]) ? content : undefined;
}

function relativeTo(root: string, file: string): string {
  return file.slice(root.length + 1).replaceAll('\\', '/');
}

/** A link may not lead the write out of the project. */
function assertInside(file: string, root: string): void {
  let there = file;
  while (!existsSync(there)) there = dirname(there);
  if (!leadsOut(root, there)) return;
  throw new XiheError('PATH_OUTSIDE_PROJECT', `${file} 在项目外面，没有写`, {
    hint: '把 .xihe 下的链接换成项目里的目录，再采纳。',
  });
}
