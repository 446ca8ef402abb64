import { type Language, languageOf } from '../../code/index.js';
import { type SkipRule, skipRule } from './files.js';

/**
 * How a file may keep a symbol alive. `code` defines and uses; `data` (settings, SQL, XML, JSON) keeps columns, keys and literals, never a
 * class or a method: a Postman collection remembers every name; `late` are generated, vendored and large parts, asked only about what
 * the others don't have; tests and documents keep nothing.
 */
export type FileSay = 'code' | 'data' | 'late' | 'none';

const DATA: ReadonlySet<Language> = new Set<Language>(['json', 'yaml', 'xml', 'sql', 'other', 'shell']);

/** @param skips why a scan leaves files out; made of all files of the project where it is not given */
export function sayRule(files: Iterable<string>, skips: SkipRule = skipRule(files)): (path: string) => FileSay {
  return (path) => {
    const reason = skips(path);
    if (reason === 'tests') return /(?:^|\/)(?:demos?|examples?|samples?)\//i.test(path) ? 'late' : 'none';
    if (reason === 'vendored' || reason === 'generated')
      return /[.-]min\.|\.map$|lock\b|\.lock$|node_modules\//.test(path) ? 'none' : 'late';
    if (reason === 'docs') return 'none';
    return reason === 'data' || DATA.has(languageOf(path)) ? 'data' : 'code';
  };
}

/** Comment marks count at the beginning of a line or behind a blank or a bracket: `"/admin/**"` and `https://` open none. */
const COMMENTS: Partial<Record<Language, RegExp>> = {
  python: /(?:^|\s)#.*$|"""[\s\S]*?"""|'''[\s\S]*?'''/gm,
  ruby: /(?:^|\s)#.*$/gm,
  shell: /(?:^|\s)#.*$/gm,
  yaml: /(?:^|\s)#.*$/gm,
  other: /^\s*[#;].*$|<!--[\s\S]*?-->/gm,
  sql: /--.*$|(?:^|\s)#.*$|\/\*[\s\S]*?\*\/|\bCOMMENT\s*=?\s*'(?:''|[^']){0,2000}'|\bIS\s+'(?:''|[^']){0,2000}'/gim,
  xml: /<!--[\s\S]*?-->/g,
  json: /^\s*\/\/.*$/gm,
};
const C_LIKE = /(^|[\s;{}(),>])(?:\/\*[\s\S]*?\*\/|\/\/.*$)|<!--[\s\S]*?-->/gm;

/** A text without its comments; lines stay where they are. */
export function withoutComments(text: string, language: Language): string {
  // Line breaks stay, so that places keep their lines.
  return text.replace(COMMENTS[language] ?? C_LIKE, (whole) => whole.replace(/[^\n]+/g, ' '));
}

/** Strings that are sentences only talk; a string that is one name (`prop="orderSn"`) names it. */
export function withoutSentences(text: string): string {
  return text.replace(/(["'])((?:\\.|(?!\1)[^\\\n]){1,400})\1/g, (whole, quote: string, inner: string) =>
    /\p{Script=Han}/u.test(inner) || /^\S*\s+\S*\s/.test(inner.trim()) ? quote + quote : whole,
  );
}
