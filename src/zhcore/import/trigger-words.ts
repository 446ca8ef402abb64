import { fold, hasChinese, isStopWord } from '../../text/index.js';
import { splitList } from './cells.js';

/** Words that call for a playbook. */
export interface TriggerWords {
  /** Put in quotes by the author, or listed as triggers. */
  named: string[];
  /** Concluded from the description. */
  guessed: string[];
}

/** More trigger words than this fire on everything. */
const WORDS_MAX = 10;
/** A phrase that people would say. In characters of Chinese, words of English. */
const CHINESE_CHARS = [2, 12] as const;
const ENGLISH_WORDS = 4;
const QUOTED_WORDS = 6;

const QUOTED = /[“"「『]([^”"」』\n]{2,40})[”"」』]/g;
/** Sentences that say when not to call. */
const NEGATIVE =
  /\b(?:not|don't|never|skip|avoid|except|unless|rather than|instead of|even if)\b|不要|不适用|不用于|不能用|除非|除了|而不是|请勿/i;
/** Clauses that say when: 「当…时」「用于…」, "use when …", "when the user asks to …". */
const WHEN_CHINESE =
  /(?:当|在|如果|凡是|每当)?(?:用户)?(?:提到|要求|需要|想要|想|涉及|遇到|处理|进行)?([^，。；！？\n]{2,60}?)(?:时|的时候|场景)(?:使用|触发|调用|适用)?/g;
const FOR_CHINESE = /(?:用于|适用于|用来|负责|帮助|支持|触发词?[:：]?|关键词[:：]?)([^。；！？\n]{2,80})/g;
const WHEN_ENGLISH = /\b(?:when(?:ever)?|for|if)\s+((?:[^.;!?\n]|\.(?=\w)){3,160})/gi;

/** What comes before the thing itself. */
const LEAD_ENGLISH =
  /^(?:(?:the )?users?|you|they|someone|it|asks?|asked|asking|wants?|needs?|mentions?|requests?|is|are|has|have|works?|working|dealing|deals|to|with|about|on|for|or|and|any|a|an|the|this|that|in|into|from|of|by|as|at|all|more|creating|building|writing|editing|handling|using|use|involving|involves|related|requires?|need|help|please|claude|tasks?|such as|like|including|e\.g\.|other)\b\s*/i;
const LEAD_CHINESE =
  /^(?:当(?!前|日)|在(?!线|途|库)|用户(?!端|名|中心)|需要|想要|要求|要(?!素)|提到|涉及|遇到|处理|进行|对(?!接|账|象|比|齐|外|公)|把|将|给|帮助|帮|以及|和(?!解)|或者?|与|及|等|各种|任何|相关的?|一个|某个|新的)+/;
const TAIL_CHINESE = /(?:等|时|的时候|的场景|场景|相关|问题|任务|操作|等等|的)+$/;

/** English words that name nothing. */
const VAGUE = new Set(
  `code file files data task tasks project projects user users work app application applications content format forms form text document documents guide tool tools system systems feature features
  issue issues change changes question questions request requests thing things way ways page pages service services server servers function functions skill skills test tests build run`.split(
    /\s+/,
  ),
);

/**
 * Finds the words by which a skill wants to be called. A skill's description is prose for a model; a playbook fires on words, so this
 * keeps to what people would really say and drops what stands in any request.
 *
 * @param name of the skill, e.g. `pdf-processing`
 * @param listed words that the front matter lists as triggers
 */
export function triggerWords(
  name: string,
  title: string,
  description: string,
  listed: readonly string[],
): TriggerWords {
  const positive = sentencesOf(description)
    .filter((sentence) => !NEGATIVE.test(sentence))
    .join('\n');
  const quoted = [...positive.matchAll(QUOTED)].map((match) =>
    (match[1] as string).replace(/[\s,，.。;；:：]+$/, '').trim(),
  );
  const named = distinct([
    ...listed,
    ...quoted.filter((word) => !/[\\/<>{}*[\]]/.test(word) && word.split(/\s+/).length <= QUOTED_WORDS),
  ]);
  const clauses = hasChinese(positive) ? chineseWords(positive) : [];
  const guessed = distinct([...clauses, ...englishWords(positive), ...titleWords(name, title)]).filter(
    (word) => !named.some((other) => fold(other) === fold(word)),
  );
  return { named: named.slice(0, WORDS_MAX), guessed: guessed.slice(0, Math.max(0, WORDS_MAX - named.length)) };
}

/** Cut where one ends: a dot inside a name ends none. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[。！？!?；;\n])|(?<=\.)(?=\s)/);
}

function chineseWords(description: string): string[] {
  const clauses = [...description.matchAll(FOR_CHINESE), ...description.matchAll(WHEN_CHINESE)].map(
    (match) => match[1] as string,
  );
  return clauses
    .flatMap(splitList)
    .flatMap((part) => part.split(/(?:以及|或者|或|和|与|及)(?=\S{2})/))
    .map((part) =>
      part
        .replace(LEAD_CHINESE, '')
        .replace(TAIL_CHINESE, '')
        .replace(/[“”"「」`]/g, '')
        .trim(),
    )
    .filter((part) => hasChinese(part) && [...part].length >= CHINESE_CHARS[0] && [...part].length <= CHINESE_CHARS[1]);
}

function englishWords(description: string): string[] {
  const words: string[] = [];
  for (const [, clause = ''] of description.matchAll(WHEN_ENGLISH)) {
    for (const part of clause.split(/[,;()]|\s+(?:or|and|when|whether|to|that|in|with|using|by|as)\s+/i)) {
      let phrase = part.trim();
      while (LEAD_ENGLISH.test(phrase)) phrase = phrase.replace(LEAD_ENGLISH, '');
      phrase = phrase.replace(/^["'“]+|["'”.]+$/g, '').trim();
      if (isPhrase(phrase)) words.push(phrase);
    }
  }
  return words;
}

/** Phrases that point at something else, or that a comma has torn from their verb. */
const EMPTY_WORDS =
  /\b(?:anything|something|everything|one|ones|it|its|them|they|these|those|this|that|who|which|be|been|being|afterwards?|apply|applies|unrelated|similar|malformed)\b|\b(?:of|for|to|with|from|in|on|by|the|an?)$/i;

/** Two words at least, or one that stands for itself: PDF, DOCX, Figma. */
function isPhrase(phrase: string): boolean {
  if (hasChinese(phrase) || !/^[A-Za-z][\w .+#/-]*$/.test(phrase)) return false;
  const words = phrase.split(/\s+/);
  if (words.length > ENGLISH_WORDS || EMPTY_WORDS.test(phrase)) return false;
  if (words.length === 1)
    return (
      phrase.length >= 3 && /^(?:[A-Z][A-Z\d]{2,}s?|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\.[a-z]{2,5})$/.test(phrase)
    );
  return words.some((word) => !isStopWord(fold(word)) && !VAGUE.has(word.toLowerCase()));
}

/** The name in words: `pdf-processing` → PDF processing is what people may type. */
function titleWords(name: string, title: string): string[] {
  const plain = title.trim();
  const words = name.split(/[-_]+/).filter(Boolean);
  const spoken = words.length >= 2 || hasChinese(name) ? [words.join(hasChinese(name) ? '' : ' ')] : [];
  const titled =
    [...plain].length <= (hasChinese(plain) ? CHINESE_CHARS[1] : 30) && plain.split(/\s+/).length <= ENGLISH_WORDS
      ? [plain]
      : [];
  return [...spoken, ...titled].filter((word) => word.length >= 3 || hasChinese(word));
}

function distinct(words: readonly string[]): string[] {
  const seen = new Set<string>();
  return words
    .map((word) => word.replace(/\s+/g, ' ').trim())
    .filter((word) => {
      const key = fold(word);
      return [...word].length >= 2 && !seen.has(key) && seen.add(key) !== undefined;
    });
}
