import { join } from 'node:path';
import type * as z from 'zod';
import { hasChinese } from '../text/index.js';
import { type FileKind, type LoadedFiles, loadFiles, type ParsedFile, problemsOf } from './files.js';
import { type Formed, formsOf, withParts } from './forms.js';
import { shownFolder, toProblems } from './load.js';
import type { Place, ReadyLexicon } from './readyLexicon.js';
import { isNothing, lexiconGroupSchema } from './schema.js';
import type { LoadProblem } from './types.js';
import { type Validated, validate } from './validate.js';
import { prepare, WordMatcher } from './wordMatcher.js';
import { readYaml } from './yaml.js';

/** Words that mean the same, or nearly the same, to a developer. */
export interface LexiconGroup {
  /** Each can stand for each other. */
  equal: string[];
  /** Related to every word of `equal`; without those, to each other. */
  near: string[];
  /** As people find it: `knowledge/lexicon/ui.yaml`. */
  file: string;
  /** 1-based. */
  line: number;
}

/** A word that a text also means, and why. */
export interface RelatedWord {
  word: string;
  relation: 'equal' | 'near';
  /** The word of the text that led to it. */
  from: string;
}

/** The lexicons of all layers, loaded. */
export interface LoadedLexicon {
  groups: LexiconGroup[];
  problems: LoadProblem[];
  files: LoadedFiles<LexiconGroup>;
}

/**
 * Loads the lexicon files of one layer. Never throws; see `loadFiles` for what stays in force.
 *
 * @param knowledgeDir the `knowledge/` folder of the layer; it need not exist
 * @param previous the last outcome for the same folder
 */
export function loadLexicon(knowledgeDir: string, previous?: LoadedLexicon): LoadedLexicon {
  const shownAs = `${shownFolder(knowledgeDir)}lexicon/`;
  const kind: FileKind<LexiconGroup> = {
    dir: join(knowledgeDir, 'lexicon'),
    shownAs,
    extensions: ['.yaml', '.yml'],
    recursive: true,
    parse: (text, path) => parseLexicon(text, shownAs + path),
  };
  const files = loadFiles(kind, previous?.files);
  const groups = [...files.values()].flatMap((file) => file.entries.map((entry) => entry.value));
  return { groups, problems: problemsOf(files), files };
}

function parseLexicon(text: string, file: string): ParsedFile<LexiconGroup> {
  const yaml = readYaml(text);
  if (!yaml.ok) {
    return { entries: [], problems: [{ line: yaml.line, reason: yaml.reason, code: 'YAML' }], broken: true };
  }
  if (yaml.value === null) return { entries: [], problems: [] };
  if (!Array.isArray(yaml.value)) {
    const reason = '顶层应当是列表：每组一行「- equal: [词, word]」';
    return { entries: [], problems: [{ line: 1, reason, code: 'SCHEMA' }], broken: true };
  }
  const out: ParsedFile<LexiconGroup> = { entries: [], problems: [] };
  for (const [i, raw] of yaml.value.entries()) {
    const { value, faults } = plainGroup(raw) ?? validate(lexiconGroupSchema, raw);
    // A group has no id of its own: its first word names it, so that one that breaks keeps its last good form.
    const key = firstWord(raw);
    for (const problem of toProblems(faults, (fault) => yaml.lineOf([i, ...fault.path]), key))
      out.problems.push(problem);
    if (value === undefined) out.entries.push(key === undefined ? { failed: true } : { key, failed: true });
    else out.entries.push({ key: key as string, value: { ...value, file, line: yaml.lineOf([i]) } });
  }
  return out;
}

function firstWord(raw: unknown): string | undefined {
  const { equal, near } = (raw ?? {}) as { equal?: unknown; near?: unknown };
  const list = [equal, near].find((value) => Array.isArray(value) && typeof value[0] === 'string');
  return (list as string[] | undefined)?.[0];
}

/**
 * What {@link validate} makes of a group with nothing wrong, without asking the schema: of thousands of groups that ship, none
 * needs more.
 */
function plainGroup(raw: unknown): Validated<z.infer<typeof lexiconGroupSchema>> | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const { equal = [], near = [], ...others } = raw as { equal?: unknown; near?: unknown };
  if (!isPlainList(equal) || !isPlainList(near) || Object.keys(others).length > 0) return undefined;
  return equal.length + near.length < 2 ? undefined : { value: { equal, near }, faults: [] };
}

function isPlainList(list: unknown): list is string[] {
  const isPlain = (word: unknown) => typeof word === 'string' && !isNothing(word) && word.trim() === word;
  return Array.isArray(list) && list.every(isPlain);
}

interface Relation {
  word: string;
  relation: 'equal' | 'near';
}

/** Words that a longer look for says nothing more: an expanded query of more is mostly noise. */
const DEFAULT_MAX = 24;

/**
 * Answers which other words a developer's text also means: 验证码 → captcha, verifyCode; 热加载 → 重新加载, hot reload.
 * Chinese is compared in the common form of the house (simplified, mainland words), Latin words by their parts, so that
 * `verify_code` and `VerifyCode` are one.
 *
 * Only words and their groups are kept; who is related to whom is worked out when it is asked, since of thousands of
 * words one request asks for a few.
 */
export class Lexicon {
  private readonly words: WordMatcher<Place>;

  /** @param ready what ships; `groups` then are those beside it */
  constructor(groups: readonly LexiconGroup[], ready?: ReadyLexicon) {
    this.words = indexOf(groups, ready);
  }

  /**
   * The form of a text. A run of Latin letters whose parts are no word here, but which is one when written together, counts as
   * that: iOS is ios and no `os`, WeChat no chat, logIn a login and no log.
   */
  private formOf(text: string): string {
    return prepare(
      withParts(text, (apart, together) => {
        const isWord = (form: string) => this.words.getPrepared(form).length > 0;
        return !isWord(apart) && isWord(together) ? together : apart;
      }),
    );
  }

  /** Words that this one word also means, equal ones first. */
  of(word: string): Relation[] {
    const form = this.formOf(word);
    return ordered([...relationsOf(form, this.words.getPrepared(form)).values()]);
  }

  /** Whether two words are known to mean the same, or nearly. */
  relation(a: string, b: string): 'equal' | 'near' | undefined {
    const [from, to] = [this.formOf(a), this.formOf(b)];
    return from === to ? 'equal' : relationsOf(from, this.words.getPrepared(from)).get(to)?.relation;
  }

  /**
   * Words that a text also means; none that stands in it already.
   *
   * A longer word hides the shorter ones inside it, but what its parts mean equally comes last, as near: 任务超时 is
   * taskTimeout, and has to do with a job and with a timeout.
   *
   * @param max how many at most, default 24
   * @param anyEdges see {@link WordMatcher.find}
   * @returns equal ones first, in the order of the text
   */
  expand(text: string, max = DEFAULT_MAX, anyEdges = false): RelatedWord[] {
    const form = this.formOf(text);
    const found = new Map<string, RelatedWord>();
    const put = (key: string, related: RelatedWord) => {
      const known = found.get(key);
      if (known !== undefined && !(known.relation === 'near' && related.relation === 'equal')) return;
      if (known !== undefined || !holds(form, key)) found.set(key, related);
    };
    const matches = this.words.find(form, anyEdges);
    for (const { word, ids, start, end } of matches) {
      const from = hasChinese(word) ? form.slice(start, end) : word;
      for (const [key, related] of relationsOf(word, ids)) put(key, { ...related, from });
    }
    for (const { word, ids } of matches.flatMap((match) => this.words.partsOf(form, match, anyEdges))) {
      for (const [key, related] of relationsOf(word, ids)) {
        if (related.relation === 'equal') put(key, { word: related.word, relation: 'near', from: word });
      }
    }
    return ordered([...found.values()]).slice(0, max);
  }
}

function indexOf(groups: readonly LexiconGroup[], ready: ReadyLexicon | undefined): WordMatcher<Place> {
  const index = new WordMatcher<Place>(ready);
  const known = formsOf(groups);
  const formed = (word: string) => known.get(word) as Formed;
  for (const { equal, near } of groups) {
    const group = { equal: equal.map(formed), near: near.map(formed) };
    for (const role of ['equal', 'near'] as const) {
      const place: Place = { group, in: role };
      for (const { form } of group[role]) index.addPrepared(form, form, place);
    }
  }
  return index;
}

/** Every other word of the places of a word, by form; equal in one group outweighs near in another. */
function relationsOf(form: string, places: readonly Place[]): Map<string, Relation> {
  const relations = new Map<string, Relation>();
  const relate = (words: readonly Formed[], relation: 'equal' | 'near') => {
    for (const { word, form: other } of words) {
      if (other === form || other === '') continue;
      const known = relations.get(other);
      // Of several spellings of one word the common one is shown: 缓存, not 快取.
      const better = known === undefined || (known.relation === relation ? word === other : relation === 'equal');
      if (better) relations.set(other, { word, relation });
    }
  };
  for (const { group, in: place } of places) {
    relate(commonFirst(group.equal), place);
    if (place === 'equal' || group.equal.length === 0) relate(commonFirst(group.near), 'near');
  }
  return relations;
}

function commonFirst(words: readonly Formed[]): readonly Formed[] {
  return words.some(({ regional }) => regional)
    ? [...words].sort((a, b) => Number(a.regional) - Number(b.regional))
    : words;
}

/** Whether a form stands in another as a word: Chinese anywhere, Latin between its boundaries (no `oss` in `cross`). */
function holds(text: string, form: string): boolean {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    if (hasChinese(form)) return true;
    const beside = `${text.charAt(at - 1)}${text.charAt(at + form.length)}`;
    if (!/[a-z0-9_]/.test(beside)) return true;
  }
  return false;
}

function ordered<T extends { relation: 'equal' | 'near' }>(words: T[]): T[] {
  return words.sort((a, b) => Number(a.relation === 'near') - Number(b.relation === 'near'));
}
