import { hasChinese, identifiersOf } from '../../text/index.js';

/** What comes along when people paste from chat and office programs; see also src/text/fold.ts. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/** What people write into a cell that has nothing. */
const NOTHING = /^(?:[-—–_/\\.。…·]+|无|没有|暂无|空|待定|待补充|未知|n\/?a|none|null|nil|undefined|tbd|todo|~)$/i;

/**
 * A cell as a text: no invisible or control characters, full-width letters and digits half-width, Chinese marks as they are, no apostrophe
 * that told Excel "this is text"; empty where people wrote that there is nothing.
 */
export function cleanCell(raw: string): string {
  const text = raw
    .replace(INVISIBLE, '')
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .replace(/[\uFF10-\uFF19\uFF21-\uFF3A\uFF3F\uFF41-\uFF5A]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .replace(/[\u00A0\u2000-\u200A\u202F\u3000\t]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .replace(/ *\n+ */g, '\n')
    .trim()
    .replace(/^'(?=[^']*$)/, '')
    .trim();
  return NOTHING.test(text) ? '' : text;
}

/** A text of several lines as one. */
export function oneLine(text: string): string {
  return text.replace(/([，。；、！？：,.;!?:])?\n+/g, (_, mark?: string) => mark ?? '；').trim();
}

const OPENING: Record<string, string> = {
  '(': ')',
  '（': '）',
  '<': '>',
  '[': ']',
  '{': '}',
  '《': '》',
  '「': '」',
  '“': '”',
};

/**
 * Splits a list in one cell on 、，,;；|/ and line breaks, outside brackets. A slash only splits where it can't belong to a path or an
 * abbreviation: `/api/order` and `CI/CD` stay whole.
 */
export function splitList(cell: string): string[] {
  const parts: string[] = [];
  const closers: string[] = [];
  let part = '';
  const chars = [...cell];
  for (const [i, c] of chars.entries()) {
    const close = OPENING[c];
    if (close !== undefined && chars.indexOf(close, i) > 0) closers.push(close);
    else if (c === closers.at(-1)) closers.pop();
    const outside = closers.length === 0;
    if (outside && ('、，,;；|｜\n'.includes(c) || (c === '/' && splitsAt(chars, i)))) {
      parts.push(part);
      part = '';
    } else part += c;
  }
  parts.push(part);
  const seen = new Set<string>();
  return parts
    .map((p) => p.trim())
    .filter((p) => p !== '' && !NOTHING.test(p) && !seen.has(p) && seen.add(p) !== undefined);
}

/** A slash between Chinese, or with blanks on both sides, or between two identifiers in a cell that is no path. */
function splitsAt(chars: readonly string[], at: number): boolean {
  const [before = '', after = ''] = [chars[at - 1], chars[at + 1]];
  if (before === '' || after === '' || before === '/' || after === '/' || before === ':') return false;
  if (before === ' ' && after === ' ') return true;
  const text = chars.join('');
  const piece = (from: number, step: number): string => {
    let out = '';
    for (let i = from; i >= 0 && i < chars.length && !/[\s、，,;；|/]/.test(chars[i] as string); i += step)
      out = step > 0 ? out + chars[i] : chars[i] + out;
    return out;
  };
  const [left, right] = [piece(at - 1, -1), piece(at + 1, 1)];
  if (hasChinese(left) || hasChinese(right)) return true;
  if (/^\s*(?:https?:|[.~]{0,2}\/)/.test(text) || FILE_NAME.test(right)) return false;
  return isIdentifier(left) && isIdentifier(right);
}

const FILE_NAME = /\.(?:[cm]?[jt]sx?|java|kt|py|go|php|rs|xml|sql|vue|json|ya?ml|md|sh|html|css|properties)$/;

/** A name that only code has: humps, underscores, dots. */
function isIdentifier(text: string): boolean {
  return /^[A-Za-z_$][\w$.#]*$/.test(text) && /[a-z][A-Z]|_|\.|#/.test(text);
}

/** What a cell of code names. */
export interface Symbols {
  symbols: string[];
  /** English words that are no name in code (`close timed-out order`): other ways to say it. */
  phrases: string[];
  /** What is neither. */
  rest: string[];
}

/** Takes the names in code out of a cell. Full-width forms become half-width. */
export function symbolsOf(cell: string): Symbols {
  const out: Symbols = { symbols: [], phrases: [], rest: [] };
  for (const part of splitList(cell)) {
    const text = part
      .normalize('NFKC')
      .replace(/^[`'"“「]+|[`'"”」]+$/g, '')
      .replace(/\([^()]*\)$/, '')
      .trim();
    if (text === '') continue;
    // A formula of a table, or a way out of the project, is no name.
    if (/^=|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(text)) out.rest.push(part);
    else if (!/\s/.test(text) && !hasChinese(text) && /[A-Za-z_$]/.test(text)) out.symbols.push(text);
    else if (/^[A-Za-z][A-Za-z '-]*$/.test(text)) out.phrases.push(text);
    else {
      const found = identifiersOf(text);
      for (const name of found) out.symbols.push(name);
      if (found.length === 0) out.rest.push(part);
    }
  }
  out.symbols = [...new Set(out.symbols)];
  return out;
}

/**
 * Words and symbols out of one cell that holds both: `超时关单/cancelExpired`, `退款（refund）`, `refund 退款`.
 */
export function mixedCell(cell: string): { field: 'keyword_ch' | 'code_symbols'; value: string }[] {
  return splitList(cleanCell(cell)).flatMap((part) => {
    const both =
      /^(?<word>[^()（）]*\p{Script=Han}[^()（）]*?)\s*[(（](?<symbol>[^()（）]+)[)）]$/u.exec(part) ??
      /^(?<symbol>[^()（）]+?)\s*[(（](?<word>[^()（）]*\p{Script=Han}[^()（）]*)[)）]$/u.exec(part) ??
      /^(?<word>\p{Script=Han}+)[\s:：=-]+(?<symbol>[A-Za-z_$].*)$/u.exec(part) ??
      /^(?<symbol>[A-Za-z_$][\w$.#]*)[\s:：=-]+(?<word>\p{Script=Han}.*)$/u.exec(part);
    const { word = '', symbol = '' } = both?.groups ?? {};
    if (word !== '' && !hasChinese(symbol))
      return [
        { field: 'keyword_ch' as const, value: word },
        { field: 'code_symbols' as const, value: symbol },
      ];
    return [{ field: hasChinese(part) ? ('keyword_ch' as const) : ('code_symbols' as const), value: part }];
  });
}
