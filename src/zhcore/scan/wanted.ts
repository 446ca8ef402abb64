import type { CodeSymbol } from '../../code/index.js';

/** Where a symbol stands. */
export interface Place {
  path: string;
  /** 1-based. */
  line: number;
}

/** A symbol that is defined somewhere. */
export interface Definition {
  name: string;
  container?: string;
  file: string;
  line: number;
}

/** A symbol as an entry writes it, cut into what code says. */
export interface Wanted {
  symbol: string;
  /** Last name, and the one before it, without case and joints. */
  last: string;
  container?: string;
  /** No identifier: a path, a route, a key with dashes. */
  literal: boolean;
  /** A column, a table, a constant or a key: data may hold it. */
  inData: boolean;
  definition?: Place;
  /** Used in code, or held by data where that counts. */
  seen?: Place;
  /** `seen` is a place that names its container too. */
  besideIn?: boolean;
}

export const IDENTIFIER = /[A-Za-z_$\p{Script=Han}][\w$\p{Script=Han}]*/gu;
export const SEPARATOR = /[.#]|::|->/;

/** `gmtCreate`, `gmt_create`, `GMT_CREATE`: one name. */
export function squeezed(name: string): string {
  return name
    .replace(/\(.*$/, '')
    .replace(/[^A-Za-z0-9\p{Script=Han}]/gu, '')
    .toLowerCase();
}

/** Cuts a symbol into the names that code would say. */
export function toWanted(symbol: string): Wanted {
  const bare = symbol.trim();
  const literal = !/^[\w$\p{Script=Han}.#:>-]+(?:\(.*\))?$/u.test(bare) || (/-(?!>)/.test(bare) && !/->/.test(bare));
  const parts = bare
    .replace(/\(.*$/, '')
    .split(SEPARATOR)
    .filter((part) => part !== '');
  const container = parts.length > 1 && !literal ? squeezed(parts.at(-2)!) : undefined;
  const isData = parts.every((part) => /^(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/.test(part));
  const telling = parts.length > 1 || bare.includes('_');
  return {
    symbol: bare,
    last: literal ? bare : squeezed(parts.at(-1) ?? bare),
    literal,
    inData: literal ? !/^(?:[A-Z]+ )?\//.test(bare) : isData && telling,
    ...(container ? { container } : {}),
  };
}

/** What a class extends or implements, by its signature. */
export function parentsOf({ signature }: CodeSymbol): string[] {
  const list =
    /\b(?:extends|implements|with)\b([^{]*)|:\s*(?:public\s+)?([\w.,\s<>]+)$|\(([\w.,\s]+)\)\s*:?$/
      .exec(signature ?? '')
      ?.slice(1)
      .join(' ') ?? '';
  const outer = list.replace(/<[^<>]*(?:<[^<>]*>[^<>]*)*>/g, ' ');
  return [...outer.matchAll(IDENTIFIER)]
    .map(([name]) => squeezed(name))
    .filter((name) => !/^(?:implements|with|extends)$/.test(name));
}
