import { hasChinese } from '../text/index.js';
import { stripDocMarkers } from './comments.js';
import type { SourceText } from './source.js';
import { isKeyLike } from './strings.js';
import type { Language } from './types.js';

/** Texts of a template are read up to here, in characters. */
const MAX_TEXT = 1000;

/** The code inside a Vue or HTML file. */
export interface EmbeddedScript {
  /** As long as the file, everything outside `<script>` blank, so that offsets and lines are the file's own. */
  text: string;
  language: Language;
}

/** An attribute in quotes may hold `>`: `generic="T extends Foo<string>"`. */
const SCRIPT =
  /(<script\b((?:[^>"']|"[^"]{0,2000}"|'[^']{0,2000}'){0,2000})>)([\s\S]*?)(?:<\/script\s*>|$(?![\s\S]))/gi;
/** Scripts of other kinds hold data or templates; scripts in other languages have no parser here. */
const SCRIPT_TYPE = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:babel|jsx|typescript))$/i;
const SCRIPT_LANG = /^(?:jsx?|tsx?|javascript|typescript)$/i;
const STYLE = /<style\b[^>]{0,2000}>[\s\S]*?(?:<\/style\s*>|$(?![\s\S]))/gi;

/** Takes the scripts out of a Vue or HTML file: all blocks in one text, as `<script>` and `<script setup>` share a module. */
export function embeddedScript(text: string): EmbeddedScript | undefined {
  let script = '';
  let last = 0;
  let language: Language = 'javascript';
  for (const match of text.matchAll(SCRIPT)) {
    const attributes = match[2]!;
    const type = /\btype\s*=\s*["']?([^\s"'>]+)/i.exec(attributes)?.[1];
    const lang = /\blang\s*=\s*["']?(\w+)/i.exec(attributes)?.[1]?.toLowerCase();
    if (/\bsrc\s*=/.test(attributes)) continue;
    if ((type !== undefined && !SCRIPT_TYPE.test(type)) || (lang !== undefined && !SCRIPT_LANG.test(lang))) continue;
    if (lang === 'ts') language = 'typescript';
    else if (lang === 'tsx') language = 'tsx';
    const start = match.index + match[1]!.length;
    script += blank(text.slice(last, start)) + match[3]!;
    last = start + match[3]!.length;
  }
  return last === 0 ? undefined : { text: script + blank(text.slice(last)), language };
}

function blank(text: string): string {
  return text.replace(/[^\n\r]/g, ' ');
}

/** Chinese comments, texts and attributes of a template, and the keys of `$t('…')`. */
export function readTemplate(source: SourceText): {
  comments: { line: number; text: string }[];
  strings: { line: number; text: string }[];
  head: string | undefined;
} {
  const template = source.text.replace(SCRIPT, blank).replace(STYLE, blank);
  const comments: { line: number; text: string }[] = [];
  const strings: { line: number; text: string }[] = [];
  let head: string | undefined;
  for (const match of template.matchAll(/<!--[\s\S]*?(?:-->|$(?![\s\S]))/g)) {
    const text = stripDocMarkers(match[0]);
    if (template.slice(0, match.index).trim() === '') head = text;
    if (hasChinese(text)) comments.push({ line: source.lineAt(match.index), text });
  }
  const markup = template.replace(/<!--[\s\S]*?(?:-->|$(?![\s\S]))/g, blank);
  const add = (index: number, text: string) => strings.push({ line: source.lineAt(index), text });
  for (const match of markup.matchAll(/=\s*"([^"]*)"|>([^<>]+)(?=<)/g)) {
    const raw = (match[1] ?? match[2]!).slice(0, MAX_TEXT);
    const text = raw
      .replace(/\{\{[\s\S]*?\}\}/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    if (hasChinese(text)) add(match.index + match[0].indexOf(raw.trim()), text);
  }
  for (const match of markup.matchAll(/\$?\bt[ce]?\(\s*(['"`])([\w.-]+)\1/g))
    if (isKeyLike(match[2]!)) add(match.index, match[2]!);
  const title = /<title>([^<]*)<\/title>/i.exec(template)?.[1]?.trim();
  return { comments, strings: strings.sort((a, b) => a.line - b.line), head: head ?? title };
}
