import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { assetPath } from '../../assets.js';
import { readYaml } from '../../knowledge/index.js';
import type { Sample, Sense, VerbEntry } from './types.js';

/** A list of words: a YAML list, or one text with commas between them. */
const words = z
  .union([
    z.array(z.string().min(1)),
    z.string().transform((text) => text.split(/\s*,\s*/).filter((word) => word !== '')),
  ])
  .pipe(z.array(z.string().min(1)));

const senseSchema = z.strictObject({
  kind: z.enum(['edit', 'qa', 'tool', 'chat']),
  hint: z.string().optional(),
  task: z.enum(['general', 'refactor', 'bugfix', 'feature']).optional(),
  object: z.string().optional(),
  after: z.string().optional(),
  not: z.string().optional(),
});

const lexiconSchema = z.strictObject({
  verbs: z.array(
    z.strictObject({
      words,
      takes: words.default([]),
      // The reader leaves every scalar a string.
      startOnly: z.stringbool().default(false),
      senses: z.array(senseSchema).min(1),
    }),
  ),
  heads: words,
  plain: words,
  typos: z.record(z.string(), z.string()),
});

const grammarSchema = z.strictObject({
  connectives: words,
  leads: words,
  asks: words,
  polite: words,
  politeMarks: z.string(),
  tags: z.string(),
  wishes: words,
  otherSubjects: z.string(),
  coverbs: words,
  disposal: words,
  marks: z.string(),
  softMarks: z.string(),
  statusAfter: z.string(),
  statusBefore: z.string(),
  told: z.string(),
  past: z.string(),
  predicate: z.string(),
  complaint: z.string(),
  complaintTakers: words,
  negations: words,
  notNegations: z.string(),
  scopeLimits: z.string(),
  banAll: z.string(),
  onlyTalk: z.string(),
  why: words,
  asking: words,
  notQuestions: words,
  howIs: words,
  someOf: z.string(),
  modalQuestion: z.string(),
  isWhat: z.string(),
  manner: z.string(),
  purpose: z.string(),
  finals: z.string(),
  finalQuestion: z.string(),
  tagQuestion: z.string(),
  englishQuestion: z.string(),
  aNotA: z.string(),
  goAhead: z.string(),
  again: z.string(),
  chat: words,
  smalltalk: words,
  requirement: z.string(),
  topicVerbs: words,
  topicSubjects: z.string(),
  complaintOfLooking: z.string(),
  commands: z.string(),
  recurring: z.string(),
  timeLead: z.string(),
});

const samplesSchema = z.strictObject({
  qa: words,
  chat: words,
  edit: words,
  tool: z.record(z.string(), words),
});

/** The word tables, compiled. */
export interface Lexicon {
  verbs: ReadonlyMap<string, VerbEntry>;
  plain: ReadonlySet<string>;
  heads: readonly string[];
  typos: readonly [wrong: string, right: string][];
  /** Verbs, plain words and coverbs by first character, longest first. */
  byFirst: ReadonlyMap<string, readonly string[]>;
  coverbs: ReadonlySet<string>;
}

/** The grammar, compiled: word lists as alternations (longest first), patterns as they are. */
export interface Grammar {
  connective: RegExp;
  lead: RegExp;
  ask: RegExp;
  askInside: RegExp;
  polite: RegExp;
  politeMarks: RegExp;
  tags: RegExp;
  wish: RegExp;
  otherSubjects: RegExp;
  disposal: ReadonlySet<string>;
  marks: RegExp;
  softMarks: RegExp;
  statusAfter: RegExp;
  statusBefore: RegExp;
  told: RegExp;
  past: RegExp;
  predicate: RegExp;
  complaint: RegExp;
  complaintTakers: RegExp;
  negation: RegExp;
  notNegations: RegExp;
  scopeLimits: RegExp;
  banAll: RegExp;
  onlyTalk: RegExp;
  why: RegExp;
  asking: RegExp;
  notQuestions: RegExp;
  howIs: RegExp;
  someOf: RegExp;
  modalQuestion: RegExp;
  isWhat: RegExp;
  manner: RegExp;
  purpose: RegExp;
  finals: RegExp;
  finalQuestion: RegExp;
  tagQuestion: RegExp;
  englishQuestion: RegExp;
  aNotA: RegExp;
  goAhead: RegExp;
  again: RegExp;
  chat: readonly RegExp[];
  requirement: RegExp;
  topicVerbs: ReadonlySet<string>;
  topicSubjects: RegExp;
  complaintOfLooking: RegExp;
  commands: RegExp;
  recurring: RegExp;
  timeLead: RegExp;
}

/**
 * One of the YAML files beside this one. They keep to block style, which the fast reader of the knowledge room takes in 8 ms;
 * with flow maps it hands over to the `yaml` package, which takes 250 ms at each cold start.
 */
function readTable(name: string): unknown {
  const read = readYaml(readFileSync(assetPath('src', 'agent', 'routing', name), 'utf8'));
  if (read.ok) return read.value;
  throw new Error(`${name}:${read.line}: ${read.reason}`);
}

const byLength = (a: string, b: string) => b.length - a.length;

/** Escapes a word for a regular expression; a Latin word must not be part of a longer one. */
function literal(word: string): string {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return /^[\x20-\x7e]+$/.test(word) ? `(?<![a-z0-9_-])${escaped}(?![a-z0-9_-])` : escaped;
}

function anyOf(list: readonly string[]): string {
  return `(?:${[...list].sort(byLength).map(literal).join('|')})`;
}

function compileSense(raw: z.infer<typeof senseSchema>): Sense {
  const { object, after, not, ...rest } = raw;
  return {
    ...rest,
    ...(object === undefined ? {} : { object: new RegExp(object) }),
    ...(after === undefined ? {} : { after: new RegExp(after) }),
    ...(not === undefined ? {} : { not: new RegExp(not) }),
  };
}

let lexicon: Lexicon | undefined;
let grammar: Grammar | undefined;
let samples: readonly Sample[] | undefined;

/** The verbs and nouns of lexicon.yaml. Throws when a word stands in two places: its meaning would depend on order. */
export function loadLexicon(): Lexicon {
  if (lexicon) return lexicon;
  const raw = lexiconSchema.parse(readTable('lexicon.yaml'));
  const coverbs = new Set(loadRawGrammar().coverbs);
  const verbs = new Map<string, VerbEntry>();
  for (const entry of raw.verbs) {
    const senses = entry.senses.map(compileSense);
    const takes = new Set(entry.takes);
    for (const word of entry.words) {
      if (verbs.has(word)) throw new Error(`lexicon.yaml: verb ${word} is listed twice`);
      verbs.set(word, { word, senses, takes, startOnly: entry.startOnly });
    }
  }
  const plain = new Set(raw.plain.filter((word) => !verbs.has(word)));
  const byFirst = new Map<string, string[]>();
  for (const word of [...verbs.keys(), ...plain, ...coverbs]) {
    const list = byFirst.get(word.charAt(0)) ?? [];
    list.push(word);
    byFirst.set(word.charAt(0), list);
  }
  for (const list of byFirst.values()) list.sort(byLength);
  lexicon = { verbs, plain, heads: [...raw.heads].sort(byLength), typos: Object.entries(raw.typos), byFirst, coverbs };
  return lexicon;
}

let rawGrammar: z.infer<typeof grammarSchema> | undefined;

function loadRawGrammar(): z.infer<typeof grammarSchema> {
  rawGrammar ??= grammarSchema.parse(readTable('grammar.yaml'));
  return rawGrammar;
}

/** The small words of grammar.yaml. */
export function loadGrammar(): Grammar {
  if (grammar) return grammar;
  const raw = loadRawGrammar();
  const start = (list: readonly string[]) => new RegExp(`^${anyOf(list)}`);
  grammar = {
    connective: new RegExp(anyOf(raw.connectives), 'g'),
    lead: start(raw.leads),
    ask: start(raw.asks),
    askInside:
      /(?:请你?|麻烦你?|劳烦)?(?:帮我们?|帮忙|替我)|麻烦[你您]?|劳烦|请(?=[你您帮把先直接全])|(?<![a-z])(?:please|pls)(?![a-z])/,
    polite: start(raw.polite),
    politeMarks: new RegExp(raw.politeMarks),
    tags: new RegExp(raw.tags),
    wish: start(raw.wishes),
    otherSubjects: new RegExp(raw.otherSubjects),
    disposal: new Set(raw.disposal),
    marks: new RegExp(raw.marks),
    softMarks: new RegExp(raw.softMarks),
    statusAfter: new RegExp(raw.statusAfter),
    statusBefore: new RegExp(raw.statusBefore),
    told: new RegExp(raw.told),
    past: new RegExp(raw.past),
    predicate: new RegExp(raw.predicate),
    complaint: new RegExp(raw.complaint),
    complaintTakers: start(raw.complaintTakers),
    negation: start(raw.negations),
    notNegations: new RegExp(raw.notNegations),
    scopeLimits: new RegExp(raw.scopeLimits),
    banAll: new RegExp(raw.banAll),
    onlyTalk: new RegExp(raw.onlyTalk),
    why: new RegExp(anyOf(raw.why)),
    asking: new RegExp(anyOf(raw.asking)),
    notQuestions: new RegExp(anyOf(raw.notQuestions), 'g'),
    howIs: new RegExp(anyOf(raw.howIs)),
    someOf: new RegExp(raw.someOf),
    modalQuestion: new RegExp(raw.modalQuestion),
    isWhat: new RegExp(raw.isWhat),
    manner: new RegExp(raw.manner),
    purpose: new RegExp(raw.purpose),
    finals: new RegExp(raw.finals),
    finalQuestion: new RegExp(raw.finalQuestion),
    tagQuestion: new RegExp(raw.tagQuestion),
    englishQuestion: new RegExp(raw.englishQuestion),
    aNotA: new RegExp(raw.aNotA),
    goAhead: new RegExp(raw.goAhead),
    again: new RegExp(raw.again),
    chat: [
      // Units of smalltalk one after the other, and nothing else.
      new RegExp(`^(?:${anyOf(raw.smalltalk)}[啊呀哦啦了吧呢嘛~,!。.?\\s]*){1,8}$`),
      ...raw.chat.map((pattern) => new RegExp(pattern)),
    ],
    requirement: new RegExp(raw.requirement),
    topicVerbs: new Set(raw.topicVerbs),
    topicSubjects: new RegExp(raw.topicSubjects),
    complaintOfLooking: new RegExp(raw.complaintOfLooking),
    commands: new RegExp(raw.commands),
    recurring: new RegExp(raw.recurring),
    timeLead: new RegExp(raw.timeLead),
  };
  return grammar;
}

/** The sample utterances that ship (samples.yaml). */
export function loadSamples(): readonly Sample[] {
  if (samples) return samples;
  const raw = samplesSchema.parse(readTable('samples.yaml'));
  const of = (kind: 'qa' | 'chat' | 'edit') => raw[kind].map((text): Sample => ({ text, kind }));
  const tools = Object.entries(raw.tool).flatMap(([tool, texts]) =>
    texts.map((text): Sample => ({ text, kind: 'tool', tool })),
  );
  samples = [...of('qa'), ...of('chat'), ...of('edit'), ...tools];
  return samples;
}
