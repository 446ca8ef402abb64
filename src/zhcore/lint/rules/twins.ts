import { prepare } from '../../../knowledge/index.js';
import type { Term } from '../../types.js';
import type { CheckedLayer, LintModel } from '../model.js';
import { bare, findTwins } from '../shingles.js';
import type { Finding, LintEntry, Rule } from '../types.js';

/** From here on two texts say the same with a word changed; texts on one subject by one author stay below 0.5. */
const REPEATED = 0.8;
/** Shorter texts are alike by chance. */
const MIN_SHINGLES = 12;

/** A text of an entry, and where it stands. */
interface Told {
  entry: LintEntry;
  text: string;
  line: number;
}

/** Kinds of entries whose texts are compared, each with its own kind: a document may well explain a warning in its words. */
const TOLD_TYPES = ['knowledge', 'warning', 'playbook'] as const;

/** What entries tell: prose chunks, dangers, the steps of playbooks. */
function tellings({ layers }: LintModel): Told[] {
  return layers.flatMap(({ documents, chunks, warnings, playbooks }) => {
    const byId = new Map(documents.map((document) => [document.id, document]));
    return [
      ...chunks
        .filter(({ kind }) => kind === 'prose')
        .flatMap(({ documentId, content, line }) => {
          const entry = byId.get(documentId);
          return entry === undefined ? [] : [{ entry, text: content, line }];
        }),
      ...warnings.map((entry) => ({ entry, text: entry.entry.danger, line: entry.line })),
      ...playbooks.map((entry) => ({ entry, text: entry.entry.steps.join('\n'), line: entry.line })),
    ];
  });
}

const repeated: Rule = {
  id: 'XL501',
  name: 'repeated-entry',
  level: 'warning',
  title: '两条内容几乎一样',
  help: '两条会一起注入，改了一条会忘了另一条。合成一条，或者只留更准的那条。',
  check(model) {
    const texts = tellings(model).map((told) => ({ item: told, text: told.text }));
    return TOLD_TYPES.flatMap((type) =>
      findTwins(
        texts.filter(({ item }) => item.entry.type === type),
        REPEATED,
        MIN_SHINGLES,
      ),
    ).map(({ first, second, likeness }) => {
      const where = `${first.entry.file}:${first.line}`;
      return model.at(repeated, second.entry, `和 ${where} 有 ${Math.round(likeness * 100)}% 一样：合成一条`, {
        line: second.line,
      });
    });
  },
};

const twoMeanings: Rule = {
  id: 'XL502',
  name: 'word-with-two-symbols',
  level: 'warning',
  title: '同一个模块里，一个词对应两组不同的代码符号',
  help: '查这个词时两条都会出来，说法互相矛盾。一个模块里一个词只留一条：合并符号，或给其中一条写上另外的 module。',
  check: (model) => model.layers.flatMap((layer) => twoMeaningsIn(model, layer)),
};

interface Said {
  entry: LintEntry<Term>;
  isKeyword: boolean;
}

function twoMeaningsIn(model: LintModel, { terms, layer }: CheckedLayer): Finding[] {
  const first = new Map<string, Said>();
  const proposals = new Set(terms.filter((entry) => model.isProposal(entry)));
  // What a scan proposed comes last: it is measured by what people wrote, never the other way round.
  return [...terms.filter((entry) => !proposals.has(entry)), ...proposals].flatMap((entry) => {
    const found: Finding[] = [];
    for (const [i, word] of [entry.entry.keyword_ch, ...entry.entry.aliases].entries()) {
      const key = `${entry.module ?? ''} ${prepare(word)}`;
      const other = first.get(key);
      const settles = entry.status === 'verified' && other?.entry.status !== 'verified';
      if (other === undefined || settles) first.set(key, { entry, isKeyword: i === 0 });
      if (other === undefined || other.entry === entry || !contradict(entry.entry, other.entry.entry)) continue;
      // Two proposals, or a proposal beside a candidate: whoever goes through them decides.
      if (proposals.has(entry) && other.entry.status !== 'verified') continue;
      // What ships has no modules: an alias may lead to two usual names there.
      const level = layer === 'general' && !(i === 0 && other.isKeyword) ? 'note' : 'warning';
      const message = `「${word}」在 ${other.entry.file}:${other.entry.line} 对应 ${other.entry.entry.code_symbols.slice(0, 2).join('、')}：合成一条，或分清模块`;
      found.push(model.at(twoMeanings, entry, message, { near: word, level }));
    }
    return found;
  });
}

/** Both name symbols, and none of them is the same. */
function contradict(a: Term, b: Term): boolean {
  const last = (symbol: string) => bare(symbol.split(/[.#]|::|->/).at(-1) ?? symbol);
  const known = new Set(a.code_symbols.map(last));
  return known.size > 0 && b.code_symbols.length > 0 && !b.code_symbols.some((symbol) => known.has(last(symbol)));
}

const twoNumbers: Rule = {
  id: 'XL503',
  name: 'same-sentence-other-number',
  level: 'note',
  title: '同一句话，数字不一样',
  help: '两处说的是同一件事，次数、时限、金额却不同，至少一处过时了。对照官方页面改成一致；说的确实是两件事的，把主语写出来。',
  check(model) {
    const first = new Map<string, { told: Told; numbers: string }>();
    return tellings(model).flatMap((told) =>
      sentencesOf(told.text).flatMap(({ key, numbers }): Finding[] => {
        const other = first.get(key);
        if (other === undefined) {
          first.set(key, { told, numbers });
          return [];
        }
        if (other.numbers === numbers || other.told.entry === told.entry) return [];
        const message = `这句话在 ${other.told.entry.file}:${other.told.line} 里写的是 ${other.numbers}，这里是 ${numbers}`;
        return [model.at(twoNumbers, told.entry, message, { line: told.line })];
      }),
    );
  },
};

/** Chinese characters that a sentence needs to be the same by more than chance. */
const SENTENCE_HAN_MIN = 10;

/** Sentences with numbers: what they say without them, and the numbers. */
function sentencesOf(text: string): { key: string; numbers: string }[] {
  return text.split(/[。！？；\n]/).flatMap((raw) => {
    // Numbers and marks in front are of a list.
    const sentence = raw.replace(/^[\s>#*|\-\d.、)）]+/, '');
    const numbers = sentence.match(/\d+(?:\.\d+)?/g);
    const han = sentence.match(/\p{Script=Han}/gu)?.length ?? 0;
    if (numbers === null || han < SENTENCE_HAN_MIN) return [];
    return [{ key: bare(sentence.replace(/\d+(?:\.\d+)?/g, 'N')), numbers: numbers.join('、') }];
  });
}

export const twinRules: readonly Rule[] = [repeated, twoMeanings, twoNumbers];
