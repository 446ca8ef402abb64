import { type Block, parseBlocks } from '../../knowledge/markdown.js';
import { fold } from '../../text/index.js';
import { noCheckBecause } from './checkCommands.js';
import { bareText } from './navigation.js';

/** Something in the body of a skill, with its 1-based line in the file. */
export interface Found {
  text: string;
  line: number;
  /** The heading above it. */
  heading: string;
}

/** What a skill's body gives to a playbook. */
export interface SkillBody {
  title: string | undefined;
  steps: Found[];
  /** Where the steps come from: a list under a heading of steps, headings that are steps, or any numbered list. */
  stepsFrom: 'steps' | 'headings' | 'list' | 'none';
  commands: Found[];
  /** Commands that can't be a check, and why (in Chinese). */
  refused: (Found & { why: string })[];
  /** Files that are to be read first. */
  prerequisites: Found[];
}

const STEP_HEADING =
  /步骤|流程|操作方法|怎么做|做法|工作流|执行|steps?\b|workflow|process|procedure|instructions|how to|quick ?start|usage|approach/i;
const NO_STEP_HEADING =
  /何时|什么时候|触发|适用|不适用|示例|例子|参考|资源|文件|目录|常见问题|注意|when to|trigger|example|reference|resource|files?\b|faq|troubleshoot|note|overview|概述|介绍|验证|检查|前置|准备|prerequisite/i;
const CHECK_HEADING = /验证|校验|检查|自检|测试|验收|verif|check|validat|test|quality/i;
const BEFORE_HEADING =
  /前置|准备|先读|必读|开始之前|动手前|prerequisite|before you|requirements?\b|read first|required reading/i;
const STEP_TITLE =
  /^(?:(?:step|phase|stage)\s*\d+|第\s*[一二三四五六七八九十\d]+\s*步|步骤\s*[一二三四五六七八九十\d]+|\d+[.、)]\s*\S)/i;
const SHELL = /^\s*(?:`{3,}|~{3,})\s*(?:bash|sh|shell|zsh|console|shell-session|terminal|cmd|powershell)?\s*$/i;

/** A plan of more steps than this is a manual; the body has it whole. */
const STEPS_MAX = 20;
/** In characters. */
const STEP_CHARS = 200;
const COMMANDS_MAX = 10;

/**
 * Reads the body of a `SKILL.md`.
 *
 * @param body Markdown below the front matter
 * @param firstLine 1-based line of its first line in the file
 * @param ownFiles paths in the skill's folder: commands that need them can't run in a project
 */
export function readSkillBody(body: string, firstLine: number, ownFiles: readonly string[]): SkillBody {
  const placed = withHeadings(parseBlocks(body, firstLine));
  const title = placed.find(({ block }) => block.kind === 'heading' && block.level === 1)?.block.text;
  const { steps, stepsFrom } = stepsOf(placed);
  const checks = placed.flatMap(({ block, heading }) =>
    CHECK_HEADING.test(heading) ? commandsOf(block, heading) : [],
  );
  const commands: Found[] = [];
  const refused: SkillBody['refused'] = [];
  for (const found of checks) {
    const why = refusal(found.text, ownFiles);
    if (why !== undefined) refused.push({ ...found, why });
    else if (commands.length >= COMMANDS_MAX) refused.push({ ...found, why: `检查命令最多 ${COMMANDS_MAX} 条` });
    else if (!commands.some((c) => c.text === found.text)) commands.push(found);
  }
  return {
    title: title === undefined ? undefined : bareText(title),
    steps,
    stepsFrom,
    commands,
    refused,
    prerequisites: readFirst(placed),
  };
}

interface Placed {
  block: Block;
  heading: string;
}

function withHeadings(blocks: readonly Block[]): Placed[] {
  let heading = '';
  return blocks.map((block) => {
    if (block.kind === 'heading') heading = bareText(block.text);
    return { block, heading };
  });
}

function stepsOf(placed: readonly Placed[]): Pick<SkillBody, 'steps' | 'stepsFrom'> {
  const of = (steps: Found[], stepsFrom: SkillBody['stepsFrom']) => ({ steps: steps.slice(0, STEPS_MAX), stepsFrom });
  const under = lists(placed.filter(({ heading }) => STEP_HEADING.test(heading) && !NO_STEP_HEADING.test(heading)));
  const ordered = under.filter(isOrdered);
  if (ordered.length >= 2) return of(ordered, 'steps');
  const titled = placed
    .filter(({ block }) => block.kind === 'heading' && STEP_TITLE.test(bareText(block.text)))
    .map(({ block, heading }) => ({ text: stepText(block.text), line: block.line, heading, raw: block.text }));
  if (titled.length >= 2) return of(titled, 'headings');
  // Bullets are steps only below the first heading that says so: further ones are usually rules.
  const bullets = under.filter((item) => item.heading === under[0]?.heading);
  if (bullets.length >= 2) return of(bullets, 'steps');
  const open = lists(placed.filter(({ heading }) => !NO_STEP_HEADING.test(heading))).filter(isOrdered);
  return open.length >= 2 ? of(open, 'list') : of([], 'none');
}

/** Numbered, or to be ticked off. */
const isOrdered = ({ raw }: Item) => /^\s*(?:\d|[-*+]\s+\[[ xX]\])/.test(raw);

interface Item extends Found {
  raw: string;
}

/** The items of the outermost level. */
function lists(placed: readonly Placed[]): Item[] {
  const found: Item[] = [];
  const seen = new Set<string>();
  for (const { block, heading } of placed) {
    if (block.kind !== 'item' || /^(?: {2,}|\t)/.test(block.text)) continue;
    const text = stepText(block.text);
    const key = fold(text);
    if (text === '' || seen.has(key)) continue;
    seen.add(key);
    found.push({ text, line: block.line, heading, raw: block.text });
  }
  return found;
}

/** One line without marks of Markdown; code spans keep their back-ticks. */
function stepText(raw: string): string {
  const line = raw
    .split('\n')
    .map((part) => part.trim())
    .join(' ')
    .replace(/^\s*(?:[-*+]|\d{1,3}[.)、．])\s*/, '')
    .replace(/^\[[ xX]\]\s*/, '')
    .replace(/!?\[([^[\]]{0,500})\]\([^)]{0,2000}\)/g, '$1')
    .replace(/\*\*|__/g, '')
    .replace(/[:：]\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim();
  const chars = [...line];
  return chars.length <= STEP_CHARS ? line : `${chars.slice(0, STEP_CHARS - 1).join('')}…`;
}

/** Lines of a shell block that are commands of one line each. */
function commandsOf(block: Block, heading: string): Found[] {
  if (block.kind !== 'code') return [];
  const [fence = '', ...lines] = block.text.split('\n');
  if (!SHELL.test(fence)) return [];
  const found: Found[] = [];
  let joined = '';
  for (const [i, raw] of lines.entries()) {
    if (/^\s*(?:`{3,}|~{3,})\s*$/.test(raw)) break;
    const line = `${joined}${raw.trim().replace(/^\$\s+/, '')}`;
    joined = '';
    if (line.endsWith('\\')) joined = `${line.slice(0, -1).trimEnd()} `;
    else if (line !== '' && !/^(?:#|rem\b)/i.test(line)) found.push({ text: line, line: block.line + i + 1, heading });
  }
  return found;
}

function refusal(command: string, ownFiles: readonly string[]): string | undefined {
  if (/<[\p{L}\w -]+>|\{\{?[\w -]+\}?\}|\[[\w -]+\]|(?<!\/)\.{3}|…|\$ARGUMENTS|path\/to|your[-_]/iu.test(command))
    return '命令里有要自己填的占位';
  if (/<<|^(?:if|for|while|do|done|fi|then|else|case|function)\b|^\s*[})]/.test(command)) return '不是一行就完整的命令';
  if (/^(?:cd|export|source|alias|set)\b/.test(command) && !/&&|;/.test(command)) return '单独执行没有作用';
  const own = ownFiles.find(
    (file) => command.includes(file) || command.includes(file.slice(file.lastIndexOf('/') + 1)),
  );
  if (own !== undefined || /(?:^|\s|\/)scripts\//.test(command)) return '用到技能自带的脚本，脚本没有跟着导入';
  return noCheckBecause(command);
}

const PATH = /`((?:[\w.@-]+\/)*[\p{L}\w.@-]+\.[A-Za-z]\w{0,9})`|\]\(([^)\s#]+)\)/gu;
const READ_FIRST =
  /(?:先|必须|务必)(?:要)?(?:阅读|读|看|打开|了解)|动手前|开始之?前|\b(?:first,? )?(?:read|review|consult|open)\b.{0,60}\b(?:first|before)\b|\bbefore\b.{0,60}\bread\b/i;

/** Files named below a heading of prerequisites, or in a sentence that says to read them first. */
function readFirst(placed: readonly Placed[]): Found[] {
  const found: Found[] = [];
  for (const { block, heading } of placed) {
    if (block.kind === 'code' || block.kind === 'heading') continue;
    for (const line of block.text.split('\n')) {
      if (!BEFORE_HEADING.test(heading) && !READ_FIRST.test(line)) continue;
      for (const match of line.matchAll(PATH)) {
        const text = (match[1] ?? match[2] ?? '').replace(/^\.\//, '');
        if (!found.some((f) => f.text === text)) found.push({ text, line: block.line, heading });
      }
    }
  }
  return found;
}
