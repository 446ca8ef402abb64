import { join } from 'node:path';
import { fold, hasChinese, splitIdentifier } from '../text/index.js';
import { type FileKind, type LoadedFiles, loadFiles, type ParsedFile, problemsOf } from './files.js';
import { shownFolder, toProblems } from './load.js';
import { lexiconGroupSchema } from './schema.js';
import type { LoadProblem } from './types.js';
import { validate } from './validate.js';
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

/** A Latin word or identifier: `verifyCode`, `order_status`, `k8s`. */
const LATIN_RUN = /[A-Za-z][A-Za-z0-9_$-]*/g;

/** One form for `verifyCode`, `verify_code`, `VerifyCode` and `verify code`; Chinese as words are compared everywhere. */
function formOf(text: string): string {
  return prepare(text.replace(LATIN_RUN, (run) => splitIdentifier(run).join(' ') || run));
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
    const { value, faults } = validate(lexiconGroupSchema, raw);
    // A group has no id of its own: its first word names it, so that one that breaks keeps its last good form.
    const key = firstWord(raw);
    out.problems.push(...toProblems(faults, (fault) => yaml.lineOf([i, ...fault.path]), key));
    if (value === undefined) out.entries.push(key === undefined ? { failed: true } : { key, failed: true });
    else out.entries.push({ key: key as string, value: { ...value, file, line: yaml.lineOf([i]) } });
  }
  return out;
}

function firstWord(raw: unknown): string | undefined {
  const { equal, near } = (raw ?? {}) as { equal?: unknown; near?: unknown };
  const list = [equal, near].find((value) => Array.isArray(value) && typeof value[0] === 'string');
  return list === undefined ? undefined : fold((list as string[])[0] as string);
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
 */
export class Lexicon {
  private readonly words = new WordMatcher<Map<string, Relation>>();
  private readonly related = new Map<string, Map<string, Relation>>();

  constructor(readonly groups: readonly LexiconGroup[]) {
    for (const { equal, near } of groups) {
      for (const a of equal) {
        for (const b of equal) this.relate(a, b, 'equal');
        for (const b of near) {
          this.relate(a, b, 'near');
          this.relate(b, a, 'near');
        }
      }
      if (equal.length === 0) for (const a of near) for (const b of near) this.relate(a, b, 'near');
    }
  }

  /** Words that this one word also means, equal ones first. */
  of(word: string): Relation[] {
    return ordered([...(this.related.get(formOf(word))?.values() ?? [])]);
  }

  /** Whether two words are known to mean the same, or nearly. */
  relation(a: string, b: string): 'equal' | 'near' | undefined {
    const [from, to] = [formOf(a), formOf(b)];
    return from === to ? 'equal' : this.related.get(from)?.get(to)?.relation;
  }

  /**
   * Words that a text also means; none that stands in it already.
   *
   * @param max how many at most, default 24
   * @returns equal ones first, in the order of the text
   */
  expand(text: string, max = DEFAULT_MAX): RelatedWord[] {
    const form = formOf(text);
    const found = new Map<string, RelatedWord>();
    for (const { word, ids, start, end } of this.words.find(form)) {
      const from = hasChinese(word) ? form.slice(start, end) : word;
      for (const relations of ids) {
        for (const [key, related] of relations) {
          if (holds(form, key)) continue;
          const known = found.get(key);
          if (known === undefined || (known.relation === 'near' && related.relation === 'equal')) {
            found.set(key, { ...related, from });
          }
        }
      }
    }
    return ordered([...found.values()]).slice(0, max);
  }

  private relate(from: string, to: string, relation: 'equal' | 'near'): void {
    const [a, b] = [formOf(from), formOf(to)];
    if (a === b || a === '' || b === '') return;
    let relations = this.related.get(a);
    if (relations === undefined) {
      relations = new Map();
      this.related.set(a, relations);
      this.words.add(a, relations);
    }
    if (relations.get(b)?.relation !== 'equal') relations.set(b, { word: to, relation });
  }
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
