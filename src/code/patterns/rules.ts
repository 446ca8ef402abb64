import type { Language } from '../types.js';
import type { PatternLanguage } from './rule.js';
import { cpp, csharp, java, kotlin, rust } from './rules-compiled.js';
import { go, php, python, ruby, script, shell } from './rules-script.js';

/** Languages that patterns can read. TypeScript, Java, Python and Go come here only when their parser fails. */
export const PATTERN_LANGUAGES: Partial<Record<Language, PatternLanguage>> = {
  typescript: script,
  tsx: script,
  javascript: script,
  vue: script,
  java,
  kotlin,
  c: cpp,
  cpp,
  csharp,
  rust,
  php,
  ruby,
  python,
  go,
  shell,
};
