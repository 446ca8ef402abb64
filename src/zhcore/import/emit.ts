import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../errors.js';
import { fields, parseFrontMatter, readYaml, validate } from '../../knowledge/index.js';
import { playbookSchema, termSchema } from '../schema.js';
import type { TermEntry } from './rawTerm.js';

export type YamlValue = string | readonly YamlValue[] | { readonly [key: string]: YamlValue | undefined };

/** Words that other YAML readers take for something else than a text. */
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n|nan|inf)$/i;
/** Needs no quotes anywhere, flow lists included. */
const PLAIN =
  /^[\p{L}_$](?:[\p{L}\p{N}_$.，。；、（）《》“”「」…—！？：+=/ -]*[\p{L}\p{N}_$.，。；、（）《》“”「」…—！？+=/])?$/u;
/** A list that fits into one line is written in one, in characters. */
const FLOW_CHARS = 100;

function scalar(text: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text)) return text;
  if (/^\d{4}-\d{2}-\d{2}$|^[01](?:\.\d+)?$/.test(text)) return text;
  return /[\n\r\t\u0085\u2028\u2029]/.test(text) ? JSON.stringify(text) : `'${text.replaceAll("'", "''")}'`;
}

/**
 * Writes the plain kind of YAML that entry files are in: block maps, one-line scalars, short lists in brackets.
 *
 * @param value texts, lists and maps; undefined fields are left out
 * @param indent blanks before each line
 */
export function emitYaml(value: { readonly [key: string]: YamlValue | undefined }, indent = ''): string {
  let out = '';
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    out += `${indent}${scalar(key)}:${after(inner, indent)}`;
  }
  return out;
}

function after(value: YamlValue, indent: string): string {
  if (typeof value === 'string') return ` ${scalar(value)}\n`;
  if (!Array.isArray(value)) return `\n${emitYaml(value as { [key: string]: YamlValue }, `${indent}  `)}`;
  const list = value as readonly YamlValue[];
  const flow = list.every((item) => typeof item === 'string')
    ? `[${(list as string[]).map(scalar).join(', ')}]`
    : undefined;
  if (flow !== undefined && flow.length <= FLOW_CHARS) return ` ${flow}\n`;
  return `\n${list.map((item) => emitItem(item, `${indent}  `)).join('')}`;
}

/** One item of a block list. */
export function emitItem(item: YamlValue, indent: string): string {
  if (typeof item === 'string') return `${indent}- ${scalar(item)}\n`;
  return `${indent}- ${emitYaml(item as { [key: string]: YamlValue }, `${indent}  `).slice(indent.length + 2)}`;
}

/** A term as an item of `terms/*.yaml`; empty lists are left out. */
export function emitTerm(entry: TermEntry): string {
  const { aliases, code_symbols, risk } = entry;
  return emitItem(
    {
      id: entry.id,
      keyword_ch: entry.keyword_ch,
      aliases: aliases.length > 0 ? aliases : undefined,
      code_symbols: code_symbols.length > 0 ? code_symbols : undefined,
      module: entry.module,
      note: entry.note,
      risk: risk.length > 0 ? risk : undefined,
      confidence: entry.confidence,
      status: entry.status,
      source: entry.source,
      license: entry.license,
      reviewed_at: entry.reviewed_at,
    },
    '',
  );
}

/**
 * Reads a written term back with the schema that loads it.
 *
 * @returns why it would not load as it was meant, in Chinese; undefined when it would
 */
export function termFault(entry: TermEntry, written: string): string | undefined {
  const yaml = readYaml(written);
  if (!yaml.ok) return yaml.reason;
  const { value, faults } = validate(termSchema, (yaml.value as unknown[])[0]);
  if (faults.length > 0) return faults.map((fault) => fault.reason).join('；');
  const given = Object.fromEntries(Object.entries(value ?? {}).filter(([, v]) => v !== undefined));
  return isDeepStrictEqual(given, { ...entry }) ? undefined : '写出来再读回来不一样';
}

/** The same for a Markdown file with front matter. */
export function markdownFault(kind: 'playbook' | 'document', written: string): string | undefined {
  try {
    const front = parseFrontMatter(written);
    const checked =
      kind === 'playbook' ? validate(playbookSchema, front.data) : validate(fields.documentSchema, front.data);
    if (front.body.trim() === '') return '正文是空的';
    return checked.faults.length === 0 ? undefined : checked.faults.map((fault) => fault.reason).join('；');
  } catch (e) {
    return messageOf(e);
  }
}

/** Front matter and body as one file. */
export function emitMarkdown(front: { readonly [key: string]: YamlValue | undefined }, body: string): string {
  return `---\n${emitYaml(front)}---\n\n${body.trim()}\n`;
}
