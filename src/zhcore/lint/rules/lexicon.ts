import { type LexiconGroup, prepare } from '../../../knowledge/index.js';
import { splitIdentifier } from '../../../text/index.js';
import type { CheckedLayer } from '../model.js';
import type { Finding, Rule } from '../types.js';

/** One form for what the lexicon itself takes for one word; traditional writing stays apart, since groups list both. */
function formOf(word: string): string {
  const letters = word
    .normalize('NFKC')
    .replace(/[A-Za-z][A-Za-z0-9_$-]*/g, (run) => splitIdentifier(run).join(' ') || run);
  return letters.replace(/\s+/g, ' ').trim().toLowerCase();
}

function at(rule: Rule, { layer }: CheckedLayer, { file, line }: LexiconGroup, message: string): Finding {
  return { rule: rule.id, level: rule.level, layer, file, line, message };
}

const wordTwice: Rule = {
  id: 'XL801',
  name: 'lexicon-word-twice',
  level: 'warning',
  title: '词典的一组里同一个词写了两遍',
  help: '大小写、下划线、驼峰写法不同也是同一个词。留一个；同时在 equal 和 near 里的，想清楚是哪一种。',
  check: (model) =>
    model.layers.flatMap((layer) =>
      layer.lexicon.flatMap((group) => {
        const seen = new Set<string>();
        return [...group.equal, ...group.near].flatMap((word) => {
          const form = formOf(word);
          const known = seen.has(form);
          seen.add(form);
          return known ? [at(wordTwice, layer, group, `「${word}」在这一组里写了两遍`)] : [];
        });
      }),
    ),
};

const groupTwice: Rule = {
  id: 'XL802',
  name: 'lexicon-group-twice',
  level: 'warning',
  title: '词典里两组的 equal 是同样的词，或者一组包含另一组',
  help: '合成一组。一个词有几个意思时可以在几组里，但整组相同就是重复。',
  check: (model) => model.layers.flatMap((layer) => repeatedGroups(layer)),
};

/** Groups whose words all stand in another one's `equal`; without `equal`, in another one's `near`. */
function repeatedGroups(layer: CheckedLayer): Finding[] {
  const found: Finding[] = [];
  const wordsOf = (group: LexiconGroup) =>
    new Set((group.equal.length > 0 ? group.equal : group.near).map((w) => prepare(formOf(w))));
  const groups = layer.lexicon.map((group) => ({ group, words: wordsOf(group), isEqual: group.equal.length > 0 }));
  const holders = new Map<string, number[]>();
  for (const [i, { words }] of groups.entries()) for (const w of words) holders.set(w, [...(holders.get(w) ?? []), i]);
  for (const [i, one] of groups.entries()) {
    if (one.words.size < 2) continue;
    const [head = ''] = one.words;
    const other = (holders.get(head) ?? []).find((j) => j !== i && holdsAll(groups[j] as typeof one, one, j < i));
    if (other === undefined) continue;
    const { file, line } = (groups[other] as typeof one).group;
    found.push(at(groupTwice, layer, one.group, `这一组的词 ${file}:${line} 里都有了：合成一组`));
  }
  return found;
}

interface Words {
  words: ReadonlySet<string>;
  isEqual: boolean;
}

/** @param earlier of two groups with the same words only the later one is a repetition */
function holdsAll(large: Words, small: Words, earlier: boolean): boolean {
  if (large.isEqual !== small.isEqual || large.words.size < small.words.size) return false;
  if (large.words.size === small.words.size && !earlier) return false;
  return [...small.words].every((word) => large.words.has(word));
}

export const lexiconRules: readonly Rule[] = [wordTwice, groupTwice];
