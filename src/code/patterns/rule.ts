import type { SymbolKind } from '../types.js';

/** How one kind of declaration looks; `name` is a named group, `mods` what stands before it, `sig` replaces the default signature. */
export interface PatternRule {
  kind: SymbolKind | 'scope';
  /** Flags `gmu`; applied to code without comments and literals. */
  pattern: RegExp;
  /** Only inside a container of this kind (any class-like for 'class'). */
  within?: 'class' | 'enum';
  /** Only outside every container. */
  outside?: boolean;
}

export interface PatternLanguage {
  rules: readonly PatternRule[];
  /** Applied to the text itself; groups `source` and optional `names`. */
  imports: RegExp;
  /** How blocks end: braces, indentation, or `end` at the same indentation. */
  blocks: 'brace' | 'indent' | 'end';
  exported(mods: string, name: string): boolean;
}

export const ID = String.raw`[\p{L}_$][\p{L}\d_$]*`;
export const NAME = `(?<name>${ID})`;
export const re = (source: string) => new RegExp(source, 'gmu');
export const mods = (words: string) => String.raw`(?<mods>(?:(?:${words})\s+)*)`;

export const ENUM_MEMBER: PatternRule = {
  kind: 'enum-member',
  within: 'enum',
  pattern: re(String.raw`^[ \t]*${NAME}[ \t]*(?:\([^()\n]*\)[ \t]*)?(?:=[^,\n]*)?(?:[,;]|\{|$)`),
};

export const notPrivate = (modifiers: string) => !/\b(?:private|protected|internal)\b/.test(modifiers);
export const isPublic = (modifiers: string) => /\b(?:public|pub)\b/.test(modifiers);
