import { createRequire } from 'node:module';
import type { NapiConfig, SgNode } from '@ast-grep/napi';
import type { Language } from './types.js';

type AstGrep = typeof import('@ast-grep/napi');
type DynamicLangRegistrations = Parameters<AstGrep['registerDynamicLanguage']>[0];

export type { NapiConfig, SgNode };

/** The parser for each language; JavaScript is read by TSX's grammar, which knows all of it and JSX. */
const PARSER_NAME: Partial<Record<Language, string>> = {
  typescript: 'TypeScript',
  tsx: 'Tsx',
  javascript: 'Tsx',
  java: 'java',
  python: 'python',
  go: 'go',
};

interface Parsers {
  napi: AstGrep;
  available: ReadonlySet<string>;
}

let parsers: Promise<Parsers | undefined> | undefined;
let registeredElsewhere = false;

/**
 * Tells this thread that another one has loaded the parsers already. Languages are registered for the whole process, and registering them
 * again would take them from under a parser that runs.
 */
export function parsersAreRegistered(): void {
  registeredElsewhere = true;
}

/** Loads the parsers now, for whoever is about to start threads that parse. */
export async function registerParsers(): Promise<void> {
  await loadParsers();
}

/**
 * Loads ast-grep and the language packs, once a process. A pack without a prebuilt parser for this platform is left out; without
 * ast-grep itself there are no parsers at all. Callers then use patterns.
 */
function loadParsers(): Promise<Parsers | undefined> {
  parsers ??= (async () => {
    try {
      const napi = await import('@ast-grep/napi');
      const packs = languagePacks();
      // Registering twice in a process aborts it, hence one call for all packs.
      if (!registeredElsewhere) napi.registerDynamicLanguage(packs);
      return { napi, available: new Set(['TypeScript', 'Tsx', ...Object.keys(packs)]) };
    } catch {
      return undefined;
    }
  })();
  return parsers;
}

function languagePacks(): DynamicLangRegistrations {
  const load = createRequire(import.meta.url);
  const packs: DynamicLangRegistrations = {};
  for (const name of ['java', 'python', 'go']) {
    try {
      const pack = load(`@ast-grep/lang-${name}`) as DynamicLangRegistrations[string];
      // The getter throws where there is no prebuild.
      if (pack.libraryPath) packs[name] = pack;
    } catch {
      // No parser for this language here: patterns do its work.
    }
  }
  return packs;
}

/**
 * Above this share of ASCII punctuation a text is no code. The parsers' error recovery takes minutes on such soup (measured: 35 s for
 * 12 KB of slashes and stars read as Python), and nothing can stop them. Of 7,353 real source files the densest has 0.52.
 */
const MAX_PUNCTUATION = 0.6;

/** Shorter texts are parsed whatever they hold. In characters. */
const MIN_JUDGED = 1000;

function isSoup(text: string): boolean {
  if (text.length < MIN_JUDGED) return false;
  let punctuation = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const letterDigitOrBlank =
      code <= 32 ||
      code > 126 ||
      (code >= 48 && code <= 57) ||
      (code >= 65 && code <= 90) ||
      (code >= 97 && code <= 122);
    if (!letterDigitOrBlank) punctuation += 1;
  }
  return punctuation / text.length > MAX_PUNCTUATION;
}

/**
 * Parses a source text.
 *
 * On the main thread: handing a text to a worker and its tree back costs as much as parsing it (measured: 0.4 ms of 0.5 ms for a file of
 * 4 KB), so `parseAsync` blocks hardly less and takes twice as long.
 *
 * @returns the root node, or undefined when there is no parser for the language on this platform, or the text is no code
 */
export async function parseSource(language: Language, text: string): Promise<SgNode | undefined> {
  const name = PARSER_NAME[language];
  const loaded = name === undefined ? undefined : await loadParsers();
  if (name === undefined || loaded === undefined || !loaded.available.has(name)) return undefined;
  return isSoup(text) ? undefined : loaded.napi.parse(name, text).root();
}
