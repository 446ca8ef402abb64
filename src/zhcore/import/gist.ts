import { parseBlocks } from '../../knowledge/markdown.js';
import { splitSentences } from '../../knowledge/sentences.js';
import { fold, identifiersOf } from '../../text/index.js';
import { bareText } from './navigation.js';

/** Headings that every document has: as keywords they would answer every question. Folded. */
const GENERIC = new Set(
  `目录 概述 概览 总览 说明 介绍 简介 背景 前言 引言 总结 小结 结论 备注 附录 注意 注意事项 其他 其它 使用 用法 使用方法 安装 配置 环境 测试 构建 部署 开发 调试 约定 规范 规则 要求 命令
  常用命令 示例 例子 样例 常见问题 问题 参考 参考资料 参考链接 步骤 流程 目标 目的 范围 原则 风格 代码风格 代码规范 项目结构 目录结构 技术栈 快速开始 入门 更新日志 变更记录 文档 项目 项目说明
  overview introduction intro about background summary conclusion notes note usage install installation setup configuration config environment testing tests test build building
  deploy deployment development commands command conventions convention guidelines rules rule style examples example faq references reference requirements prerequisites
  architecture structure quickstart gettingstarted changelog license contributing documentation project projectoverview projectstructure codestyle`
    .split(/\s+/)
    .filter(Boolean),
);

/** Whether a heading says nothing about its subject. */
export function isGeneric(title: string): boolean {
  return GENERIC.has(fold(title).replace(/[\s\d.、:：#*`-]+/g, ''));
}

const KEYWORDS_MAX = 8;
/** Longer headings are sentences; nobody types them. In characters. */
const KEYWORD_CHARS = 24;

/**
 * Words by which people will ask for a text: what its title names, and the identifiers that it says most often.
 *
 * @returns one at least
 */
export function keywordsOf(title: string, body: string, given: readonly string[] = []): string[] {
  const plain = bareText(title).replace(/^(?:第?[一二三四五六七八九十\d]+(?:[.、章节]\s*|\s+))+/, '');
  const parts = plain.split(/[：:|｜（）()【】「」]|\s+-\s+|\s*[与和及、/]\s*/).map((part) => part.trim());
  const words = [...given, ...identifiersOf(plain), plain, ...parts].filter(
    (word) => word.length >= 2 && [...word].length <= KEYWORD_CHARS && !isGeneric(word) && !isLooseWord(word),
  );
  const all = distinct([...words, ...frequentNames(body)]).slice(0, KEYWORDS_MAX);
  return all.length > 0 ? all : [plain || title];
}

/** A single English word in lower case, or two letters, stands in too many questions. */
function isLooseWord(word: string): boolean {
  return /^[a-z]{1,20}$/.test(word) || /^[A-Za-z]{1,2}$/.test(word);
}

/** Names in code that a text is about: said more than once, or in a short text at all. */
function frequentNames(body: string): string[] {
  const counts = new Map<string, number>();
  for (const block of parseBlocks(body, 1)) {
    // Examples call whatever they need; prose names what it is about.
    if (block.kind === 'code') continue;
    for (const name of identifiersOf(block.text)) if (isTelling(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const ranked = [...counts].sort((a, b) => b[1] - a[1]);
  return ranked.slice(0, 5).map(([name]) => name);
}

function isTelling(name: string): boolean {
  if (name.length < 4 || name.length > 60 || /[\\/:@]|^v?\d/.test(name)) return false;
  return /[a-z][A-Z]|_|\.|[A-Z]{2,}-?\d|[a-z]-[a-z]/.test(name);
}

function distinct(words: readonly string[]): string[] {
  const seen = new Set<string>();
  return words.filter((word) => {
    const key = fold(word);
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/** A summary is one line of a list; in characters. */
const SUMMARY_CHARS = 120;
/** A conclusion stands early, or it is none; in sentences. */
const LOOKED_AT = 8;
/** The same in characters, of one block. */
const LOOKED_AT_CHARS = 4_000;
/** Words with which a sentence says what holds or what to do. */
const CONCLUDES =
  /必须|务必|不要|不能|不得|禁止|应当|应该|需要|只能|统一|一律|表示|是指|用于|负责|默认|\b(?:must|should|never|always|do not|don't|use|is|are|means)\b/i;

/** The first sentence that concludes; else the first that is one. */
export function summaryOf(title: string, body: string): string {
  const sentences: string[] = [];
  for (const block of parseBlocks(body, 1)) {
    if (sentences.length >= LOOKED_AT) break;
    if (block.kind !== 'paragraph' && block.kind !== 'item') continue;
    const start = block.text.slice(0, LOOKED_AT_CHARS);
    const text = start.split('\n').map(bareText).filter(Boolean).reduce(joined, '');
    for (const sentence of splitSentences(text)) if (isSentence(sentence.trim())) sentences.push(sentence.trim());
  }
  const looked = sentences.slice(0, LOOKED_AT);
  const best = looked.find((s) => CONCLUDES.test(s)) ?? looked[0] ?? title;
  return shorten(best.replace(/\s+/g, ' '));
}

/** Two lines of a paragraph as one: nothing between Chinese, a blank beside Latin. */
function joined(before: string, line: string): string {
  if (before === '') return line;
  const tight = /[\p{Script=Han}\p{P}]$/u.test(before) && /^[\p{Script=Han}\p{P}]/u.test(line);
  return `${before}${tight ? '' : ' '}${line}`;
}

function isSentence(text: string): boolean {
  return [...text].length >= 8 && !/[：:]$/.test(text) && !/[？?]$/.test(text);
}

/** Cut at a mark rather than in the middle of a word. */
function shorten(text: string): string {
  const chars = [...text];
  if (chars.length <= SUMMARY_CHARS) return text;
  const head = chars.slice(0, SUMMARY_CHARS).join('');
  const cut = Math.max(head.lastIndexOf('，'), head.lastIndexOf('；'), head.lastIndexOf('、'), head.lastIndexOf(' '));
  return `${(cut > SUMMARY_CHARS / 2 ? head.slice(0, cut) : head).trimEnd()}…`;
}
