import { type KnowledgeDocument, prepare } from '../../../knowledge/index.js';
import { contentWords } from '../../../text/index.js';
import type { Focus } from '../../ranking.js';
import { TermIndex } from '../../terms.js';
import { PlaybookIndex, WarningIndex } from '../../triggers.js';
import type { Playbook, Term, Warning } from '../../types.js';
import type { CheckedLayer, LintModel } from '../model.js';
import type { Finding, LintEntry, Rule } from '../types.js';

/** Nobody types a phrase of more characters word for word; sentences of people who ask have 10 to 30. Identifiers and error messages are pasted. */
const WORD_CHARS_MAX = 40;

/** Longer words are not tried: it costs time, and only pasted messages are. */
const ASKED_CHARS_MAX = 100;

/** Playbooks that one request brings at most, and how near to the best one they must be (`core.ts`). */
const PLAYBOOKS_MAX = 2;
const PLAYBOOK_SHARE = 0.6;

interface Word {
  entry: LintEntry;
  word: string;
}

/** The words of each entry by which a request finds it. */
function wordsOf({ terms, warnings, playbooks, documents }: CheckedLayer): Word[] {
  const of = <E>(entries: readonly LintEntry<E>[], words: (entry: E) => readonly string[]) =>
    entries.flatMap((entry) => words(entry.entry).map((word) => ({ entry, word })));
  return [
    ...of<Term>(terms, ({ keyword_ch, aliases }) => [keyword_ch, ...aliases]),
    ...of<Warning>(warnings, ({ when }) => when.keywords),
    ...of<Playbook>(playbooks, ({ trigger_keywords }) => trigger_keywords),
    ...of<KnowledgeDocument>(documents, ({ keywords }) => keywords),
  ];
}

const emptyWord: Rule = {
  id: 'XL301',
  name: 'word-that-never-matches',
  level: 'warning',
  title: '触发词不可能在请求里起作用',
  help: '只有虚词的词、单个汉字、长得没人会原样打出来的句子都匹配不上。换成团队真正会说的 2 到 8 个字的词。',
  check: (model) =>
    model.layers.flatMap(wordsOf).flatMap(({ entry, word }) => {
      const fault = faultOf(word);
      return fault === undefined ? [] : [model.at(emptyWord, entry, `「${word}」${fault}`, { near: word })];
    }),
};

function faultOf(word: string): string | undefined {
  const letters = [...prepare(word)];
  if (letters.length > WORD_CHARS_MAX && /\p{Script=Han}/u.test(word))
    return `有 ${letters.length} 个字，没有人会原样打出来：拆成几个短词`;
  if (letters.length === 1 && /\p{Script=Han}/u.test(word)) return '只有一个字，只在整句话就是它时才匹配：换成完整的词';
  // Marks say something by themselves: `#{} 和 ${}`.
  if (!/^[\p{L}\p{N}\s]+$/u.test(word)) return undefined;
  return contentWords(word).length === 0 ? '全是虚词，几乎每句话都有，说明不了什么：换成具体的词' : undefined;
}

const hiddenWord: Rule = {
  id: 'XL302',
  name: 'hidden-trigger',
  level: 'warning',
  title: '写了触发词，却带不出这一条',
  help: '请求里只说这个词时，出来的是别的条目：触发词相同的模板太多（一次最多两个），或者被别的词盖住。换一个更具体的触发词，或把重复的模板合成一个。',
  check: (model) => model.layers.flatMap((layer) => hiddenIn(model, layer)),
};

/** Asks for each word alone, in the best case: its own module in focus, and only its own layer to compete with. */
function hiddenIn(model: LintModel, layer: CheckedLayer): Finding[] {
  const ask = askerOf(layer, model.options.today);
  return wordsOf(layer).flatMap(({ entry, word }) => {
    // Proposals of a scan share words until somebody has gone through them.
    if (model.isProposal(entry)) return [];
    if (entry.type === 'knowledge' || word.length > ASKED_CHARS_MAX || faultOf(word) !== undefined) return [];
    const found = ask(entry, word);
    if (found.has(entry.id)) return [];
    const others = [...found.values()].slice(0, 3).map((title) => `「${title}」`);
    const instead = others.length === 0 ? '什么也不会出来' : `出来的是${others.join('、')}`;
    return [model.at(hiddenWord, entry, `请求里只说「${word}」时${instead}：换一个更具体的词`, { near: word })];
  });
}

/** What a word brings: titles by id, of entries of the asking one's type. Each word is asked once for each type and module. */
function askerOf(layer: CheckedLayer, today: string): (entry: LintEntry, word: string) => ReadonlyMap<string, string> {
  const terms = new TermIndex(layer.terms.map(({ entry }) => entry));
  const warnings = new WarningIndex(layer.warnings.map(({ entry }) => entry));
  const playbooks = new PlaybookIndex(layer.playbooks.map(({ entry }) => entry));
  const answers = new Map<string, ReadonlyMap<string, string>>();
  const find = (type: LintEntry['type'], text: string, focus: Focus): [string, string][] => {
    if (type === 'term') return terms.find(text, [], focus).map(({ term }) => [term.id, term.keyword_ch]);
    const request = { text, symbols: [], files: [], focus, terms: [] };
    if (type === 'warning') return warnings.find(request).map(({ entry }) => [entry.id, entry.id]);
    return bestOf(playbooks.find(request, 'general')).map(({ id, title }) => [id, title]);
  };
  return ({ type, module }, word) => {
    const text = prepare(word);
    const key = [type, module ?? '', text].join('\n');
    const modules = new Set(module === undefined ? [] : [module]);
    const answer = answers.get(key) ?? new Map(find(type, text, { modules, explicit: modules, today }));
    answers.set(key, answer);
    return answer;
  };
}

function bestOf(matches: ReturnType<PlaybookIndex['find']>): { id: string; title: string }[] {
  const enough = (matches[0]?.score ?? 0) * PLAYBOOK_SHARE;
  return matches
    .filter(({ score }) => score >= enough)
    .slice(0, PLAYBOOKS_MAX)
    .map(({ entry }) => ({ id: entry.id, title: entry.title }));
}

const sharedWord: Rule = {
  id: 'XL303',
  name: 'shared-trigger',
  level: 'note',
  title: '两个流程模板有同一个触发词',
  help: '两个模板会一起整份注入，步骤可能互相打架，也费 token。只留在最合适的那个里；真的要一起用的可以不管。',
  check: (model) =>
    model.layers.flatMap(({ playbooks }) => {
      const first = new Map<string, LintEntry<Playbook>>();
      return playbooks.flatMap((entry) =>
        entry.entry.trigger_keywords.flatMap((word) => {
          const key = `${entry.module ?? ''} ${prepare(word)}`;
          const other = first.get(key);
          first.set(key, other ?? entry);
          if (other === undefined || other === entry || !shareTasks(entry.entry, other.entry)) return [];
          return [
            model.at(sharedWord, entry, `触发词「${word}」也是「${other.entry.title}」（${other.file}）的：只留一处`, {
              near: word,
            }),
          ];
        }),
      );
    }),
};

function shareTasks(a: Playbook, b: Playbook): boolean {
  if (a.task_types.length === 0 || b.task_types.length === 0) return true;
  return a.task_types.some((task) => b.task_types.includes(task));
}

export const wordRules: readonly Rule[] = [emptyWord, hiddenWord, sharedWord];
