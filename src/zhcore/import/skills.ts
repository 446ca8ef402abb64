import { existsSync } from 'node:fs';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { messageOf } from '../../errors.js';
import { parseFrontMatter } from '../../knowledge/index.js';
import { fold, hasChinese, stableHash } from '../../text/index.js';
import { loadLayer } from '../load.js';
import { emitMarkdown, markdownFault, type YamlValue } from './emit.js';
import { stateOf } from './knowledge.js';
import { safeName } from './names.js';
import { type OwnFile, planReferences, type References } from './references.js';
import { readSkillBody, type SkillBody } from './skillBody.js';
import { holdsKey, holdsSecret, readEach, type Source } from './source.js';
import { triggerWords } from './trigger-words.js';
import type { ImportOptions, Notes, PlannedFile } from './types.js';

const FOLDER = 'playbooks';
/** How far a playbook is trusted that nobody has tried here. */
const CONFIDENCE = '0.6';

/** A skill as its front matter gives it (agentskills.io: name, description, license, compatibility, metadata, allowed-tools). */
interface Skill {
  source: Source;
  id: string;
  name: string;
  description: string;
  license?: string;
  listed: string[];
  body: string;
  bodyLine: number;
  /** Other files of its folder. */
  ownFiles: OwnFile[];
}

/** Agent Skills (`SKILL.md`) as playbooks; nothing of theirs is run or copied but the text. */
export async function planPlaybooks(
  skills: readonly Source[],
  all: readonly Source[],
  options: ImportOptions,
  notes: Notes,
  tick: (done: number, total: number) => Promise<void>,
): Promise<PlannedFile[]> {
  const files: PlannedFile[] = [];
  const known = existing(options.layerDir);
  for (const [i, source] of skills.entries()) {
    await tick(i, skills.length);
    const skill = await readEach(source, skills, notes, () => readSkill(source, skills, all, notes));
    if (skill === undefined) continue;
    if (isTaken(skill, options, known, notes)) continue;
    const references = await planReferences(skill, options, notes);
    const file = plan(skill, references, options, notes);
    if (file === undefined) continue;
    if (file.state === 'new') known.set(fold(skill.id), source.name);
    files.push(file, ...references.files);
  }
  return files;
}

/** Another file has the id. */
function isTaken(skill: Skill, options: ImportOptions, known: ReadonlyMap<string, string>, notes: Notes): boolean {
  const owner = known.get(fold(skill.id));
  if (owner === undefined || existsSync(join(options.layerDir, FOLDER, `${skill.id}.md`))) return false;
  notes.drop(skill.source.name, `${owner} 已经用了 id ${skill.id}，没有导入`, skill.name);
  return true;
}

/** Ids that are taken, and by which file. */
function existing(layerDir: string): Map<string, string> {
  const files = loadLayer({ dir: layerDir, layer: 'project' }).playbooks;
  return new Map(
    [...files.values()].flatMap((file) =>
      file.entries.map(({ value }) => [fold(value.id), `.xihe/${value.provenance.file}`] as const),
    ),
  );
}

function readSkill(source: Source, skills: readonly Source[], all: readonly Source[], notes: Notes): Skill | undefined {
  const text = source.text();
  if (holdsKey(text, source.name, notes) || holdsSecret(text, source.name, notes, '', 1)) return undefined;
  const front = frontMatterOf(text, source.name, notes);
  if (front === undefined) return undefined;
  const { data, body, bodyLine } = front;
  const folder = basename(dirname(source.abs));
  const said = (key: string) =>
    typeof data[key] === 'string' ? (data[key] as string).replace(/\s+/g, ' ').trim() : '';
  const name = said('name') || folder;
  const description = said('description');
  if (said('name') === '') notes.guess(source.name, '没有写 name，用目录名', folder);
  else if (fold(name) !== fold(folder)) notes.guess(source.name, `name 是 ${name}，目录却叫 ${folder}，以 name 为准`);
  if (description === '') {
    notes.drop(source.name, '没有写 description，不知道什么时候该用它', name);
    return undefined;
  }
  if (body.trim() === '') {
    notes.drop(source.name, '没有正文', name);
    return undefined;
  }
  sayUnused(data, source.name, notes);
  return {
    source,
    id: safeName(name, `skill-${stableHash(name)}`),
    name,
    description,
    ...(said('license') === '' ? {} : { license: said('license') }),
    listed: listedTriggers(data),
    body,
    bodyLine,
    ownFiles: ownFiles(source, skills, all),
  };
}

function frontMatterOf(text: string, name: string, notes: Notes) {
  try {
    return parseFrontMatter(text);
  } catch (e) {
    // A description with a colon in it is common, and no YAML; other agents read it all the same.
    const lenient = lenientFrontMatter(text);
    if (lenient === undefined) {
      notes.drop(name, messageOf(e));
      return undefined;
    }
    notes.guess(name, `文件头不是合法的 YAML，逐行按「键: 值」读（${messageOf(e)}）`);
    return lenient;
  }
}

/** `key: everything up to the line end`, and indented lines that go on with it. */
function lenientFrontMatter(
  text: string,
): { data: Record<string, unknown>; body: string; bodyLine: number } | undefined {
  const lines = text.split(/\r\n|\n|\r/);
  const close = lines.findIndex((line, i) => i > 0 && /^---[ \t]*$/.test(line));
  if (!/^---[ \t]*$/.test(lines[0] ?? '') || close < 0) return undefined;
  const data: Record<string, string> = {};
  let key = '';
  for (const line of lines.slice(1, close)) {
    const match = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line);
    if (match !== null) {
      key = match[1] as string;
      data[key] = (match[2] as string).replace(/^(["'])(.*)\1$/, '$2').replace(/^[>|][+-]?$/, '');
    } else if (key !== '' && /^\s/.test(line)) data[key] = `${data[key]} ${line.trim()}`.trim();
  }
  return { data, body: lines.slice(close + 1).join('\n'), bodyLine: close + 2 };
}

/** Fields that a playbook has no place for. */
function sayUnused(data: Record<string, unknown>, where: string, notes: Notes): void {
  const texts = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const tools = data['allowed-tools'];
  if (tools !== undefined) notes.drop(where, 'allowed-tools 没有导入：羲和按危险等级决定哪些操作要确认', texts(tools));
  if (data.compatibility !== undefined)
    notes.drop(where, 'compatibility 没有导入：是对运行环境的要求', texts(data.compatibility));
  const known = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools', ...LISTED]);
  const rest = Object.keys(data).filter((key) => !known.has(key));
  if (rest.length > 0) notes.drop(where, `文件头的这些字段没有导入：${rest.join('、')}`);
  const metadata = data.metadata;
  if (typeof metadata === 'object' && metadata !== null && Object.keys(metadata).length > 0)
    notes.drop(where, 'metadata 没有导入', texts(metadata));
}

const LISTED = ['triggers', 'trigger_keywords', 'keywords', '触发词'];

function listedTriggers(data: Record<string, unknown>): string[] {
  const metadata = (typeof data.metadata === 'object' && data.metadata !== null ? data.metadata : {}) as Record<
    string,
    unknown
  >;
  const values = LISTED.flatMap((key) => [data[key], metadata[key]]);
  return values
    .flatMap((value) => (Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[,，、;；]/) : []))
    .map((v) => String(v).trim())
    .filter(Boolean);
}

/** Files of the skill's folder that are no part of a skill within it. */
function ownFiles(source: Source, skills: readonly Source[], all: readonly Source[]): OwnFile[] {
  const dir = dirname(source.abs) + sep;
  const inner = skills
    .map((other) => dirname(other.abs) + sep)
    .filter((other) => other !== dir && other.startsWith(dir));
  return all
    .filter((file) => file !== source && file.abs.startsWith(dir) && !inner.some((other) => file.abs.startsWith(other)))
    .map((file) => ({ source: file, path: relative(dir, file.abs).split(sep).join('/') }));
}

function plan(skill: Skill, references: References, options: ImportOptions, notes: Notes): PlannedFile | undefined {
  const { source } = skill;
  const read = readSkillBody(
    skill.body,
    skill.bodyLine,
    skill.ownFiles.map(({ path }) => path),
  );
  const front = frontOf(skill, read, references, options, notes);
  const content = emitMarkdown(front, skill.body);
  const fault = markdownFault('playbook', content);
  if (fault !== undefined) {
    notes.drop(source.name, `写进去会加载不了：${fault}`, skill.name);
    return undefined;
  }
  const rest = skill.ownFiles.filter(({ path }) => !references.looked.has(path)).map(({ path }) => path);
  if (rest.length > 0) notes.drop(source.name, `自带的 ${rest.length} 个文件没有导入，也没有运行`, rest.join('、'));
  const path = `.xihe/${FOLDER}/${skill.id}.md`;
  const state = stateOf(join(options.layerDir, FOLDER, `${skill.id}.md`), content);
  if (state === 'kept')
    notes.drop(source.name, `${path} 已经有了，内容不同，没有动它；要更新请先删掉或改名`, skill.name);
  const preview = [
    `${front.title}：${(front.trigger_keywords as string[]).join('、')}（${(front.steps as string[]).length} 步）`,
  ];
  return { path, kind: 'playbooks', content, entries: 1, state, preview };
}

function frontOf(
  skill: Skill,
  read: SkillBody,
  references: References,
  options: ImportOptions,
  notes: Notes,
): Record<string, YamlValue | undefined> {
  const where = skill.source.name;
  const title = read.title || skill.name;
  return {
    id: skill.id,
    title,
    trigger_keywords: triggersOf(skill, title, notes),
    required_checks: requiredChecks(skill, read, references, options, notes),
    steps: stepsOf(skill, read, notes),
    post_checks: postChecks(skill, read, notes),
    module: options.module,
    source: where,
    license: skill.license,
    confidence: CONFIDENCE,
    status: 'candidate',
  };
}

function triggersOf(skill: Skill, title: string, notes: Notes): string[] {
  const where = skill.source.name;
  const { named, guessed } = triggerWords(skill.name, title, skill.description, skill.listed);
  const words = [...named, ...guessed];
  if (guessed.length > 0) notes.guess(where, '触发词是从 description 和名字里猜的，请看一遍', guessed.join('、'));
  if (words.length > 0) {
    if (!words.some(hasChinese)) notes.guess(where, '触发词里没有中文，中文请求触发不了它，请补几个中文说法');
    return words;
  }
  notes.guess(where, '看不出触发词，用了名字', skill.name);
  return [skill.name];
}

function stepsOf(skill: Skill, { steps, stepsFrom }: SkillBody, notes: Notes): string[] {
  const where = skill.source.name;
  if (stepsFrom === 'none') {
    notes.guess(where, '正文里没有列出步骤，只写了一步「按正文做」');
    return [`按正文的说明做：${skill.description}`.slice(0, 200)];
  }
  if (stepsFrom === 'list')
    notes.guess(where, '没有标明是步骤的小节，把正文里的编号列表当作步骤', steps.map((s) => s.text).join('；'));
  if (stepsFrom === 'headings') notes.guess(where, '步骤取自小节的标题', steps.map((s) => s.text).join('；'));
  return steps.map((step) => step.text);
}

/** Commands below a heading of checks. They are written down, never run here. */
function postChecks(skill: Skill, { commands, refused }: SkillBody, notes: Notes): YamlValue | undefined {
  for (const { text, line, why } of refused)
    notes.drop(`${skill.source.name}:${line}`, `没有当作改后检查：${why}`, text);
  for (const { text, line } of commands)
    notes.guess(`${skill.source.name}:${line}`, '当作改后检查：以后用到这个流程时会在隔离的副本里执行，请确认', text);
  if (commands.length === 0) return undefined;
  return commands.map(({ text, heading }) => ({ type: 'command', command: text, purpose: heading || '改完要通过' }));
}

/** Files that are to be read first: of the project, and references of the skill that came along. */
function requiredChecks(
  skill: Skill,
  { prerequisites }: SkillBody,
  references: References,
  options: ImportOptions,
  notes: Notes,
): YamlValue | undefined {
  const checks: YamlValue[] = [];
  for (const { text: path, line, heading } of prerequisites) {
    if (/^[a-z]+:|^\/|^[A-Za-z]:\\/i.test(path) || posix.normalize(path).startsWith('..')) continue;
    const at = `${skill.source.name}:${line}`;
    const own = posix.normalize(path);
    if (skill.ownFiles.some((file) => file.path === own)) {
      const documents = references.documents.get(own) ?? [];
      if (documents.length === 0) notes.drop(at, '要先读的文件是技能自带的，没有导入', path);
      for (const document of documents)
        checks.push({ type: 'read_file', path: document, on_missing: 'warn', purpose: heading || '先读这个文件' });
      continue;
    }
    checks.push({ type: 'read_file', path, on_missing: 'warn', purpose: heading || '先读这个文件' });
    const missing = existsSync(join(options.root, path)) ? '' : '；项目里现在没有这个文件';
    notes.guess(at, `当作动手前先读的文件${missing}`, path);
  }
  return checks.length === 0 ? undefined : checks;
}
