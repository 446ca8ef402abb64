import { ID, mods, NAME, notPrivate, type PatternLanguage, re } from './rule.js';

const SCRIPT_MODS = mods('export|default|declare|abstract|async');
export const script: PatternLanguage = {
  blocks: 'brace',
  exported: (modifiers) => /\bexport\b/.test(modifiers),
  imports: /^[ \t]*(?:import|export)\s+(?:type\s+)?(?:(?<names>[^'"\n;]+?)\s*from\s*)?['"](?<source>[^'"\n]+)['"]/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^[ \t]*${SCRIPT_MODS}class\s+${NAME}`) },
    { kind: 'interface', pattern: re(String.raw`^[ \t]*${SCRIPT_MODS}interface\s+${NAME}`) },
    { kind: 'enum', pattern: re(String.raw`^[ \t]*${SCRIPT_MODS}(?:const\s+)?enum\s+${NAME}`) },
    { kind: 'type', pattern: re(String.raw`^[ \t]*${SCRIPT_MODS}type\s+${NAME}[^=\n]*=`) },
    { kind: 'function', pattern: re(String.raw`^[ \t]*${SCRIPT_MODS}function\s*\*?\s*${NAME}\s*[(<]`) },
    {
      kind: 'function',
      pattern: re(
        String.raw`^${SCRIPT_MODS}(?:const|let|var)\s+${NAME}[^=\n]*=\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=\n]*=>|${ID}\s*=>)`,
      ),
    },
    {
      kind: 'constant',
      outside: true,
      pattern: re(
        String.raw`^(?<mods>export\s+)const\s+${NAME}[^=\n]*=(?!\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=\n]*=>))`,
      ),
    },
    {
      kind: 'method',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]+${mods('public|private|protected|static|async|override|abstract|get|set')}${NAME}\s*\([^)]*\)[^;{}=\n]*\{`,
      ),
    },
  ],
};

const PHP_MODS = mods('public|private|protected|static|final|abstract|readonly');
export const php: PatternLanguage = {
  blocks: 'brace',
  exported: notPrivate,
  imports:
    /^\s*use\s+(?:function\s+|const\s+)?(?<source>[\w\\]+)(?:\\\{(?<names>[^}]*)\})?(?:\s+as\s+\w+)?\s*;|^[ \t]*(?:require|include)(?:_once)?\s*\(?\s*(?:__DIR__\s*\.\s*)?['"](?<source2>[^'"]+)['"]/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^[ \t]*${PHP_MODS}(?:class|trait)\s+${NAME}`) },
    { kind: 'interface', pattern: re(String.raw`^[ \t]*interface\s+${NAME}`) },
    { kind: 'enum', pattern: re(String.raw`^[ \t]*enum\s+${NAME}`) },
    { kind: 'function', pattern: re(String.raw`^[ \t]*${PHP_MODS}function\s+&?${NAME}\s*\(`) },
    { kind: 'constant', pattern: re(String.raw`^[ \t]*${PHP_MODS}const\s+${NAME}\s*=`) },
    {
      kind: 'field',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:(?:public|private|protected|static|readonly)\s+)+)(?:\??[\w\\|]+\s+)?\$${NAME}`,
      ),
    },
    { kind: 'enum-member', within: 'enum', pattern: re(String.raw`^[ \t]*case\s+${NAME}`) },
  ],
};

export const ruby: PatternLanguage = {
  blocks: 'end',
  exported: (_modifiers, name) => !name.startsWith('_'),
  imports: /^[ \t]*require(?:_relative)?\s*\(?\s*['"](?<source>[^'"\n]+)['"]/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^[ \t]*(?:class|module)\s+(?<name>(?:${ID}::)*${ID})`) },
    { kind: 'function', pattern: re(String.raw`^[ \t]*def\s+(?:self\.)?(?<name>${ID}[?!=]?)`) },
    { kind: 'constant', pattern: re(String.raw`^[ \t]*(?<name>[A-Z][A-Z\d_]*)\s*=[^=~]`) },
  ],
};

export const python: PatternLanguage = {
  blocks: 'indent',
  exported: (_modifiers, name) => !name.startsWith('_'),
  imports: /^[ \t]*from\s+(?<source>\S+)\s+import\s+(?<names>[^\n#(]+|\([^)]*\))|^[ \t]*import\s+(?<source2>[\w.]+)/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^[ \t]*class\s+${NAME}`) },
    { kind: 'function', pattern: re(String.raw`^[ \t]*(?:async\s+)?def\s+${NAME}`) },
    { kind: 'constant', outside: true, pattern: re(String.raw`^(?<name>[A-Z][A-Z\d_]*)\s*(?::[^=\n]+)?=[^=]`) },
  ],
};

export const go: PatternLanguage = {
  blocks: 'brace',
  exported: (_modifiers, name) => /^\p{Lu}/u.test(name),
  imports: /^[ \t]*(?:import\s+)?(?:[\w.]+\s+)?"(?<source>[\w.\-/]+)"\s*$/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^(?:type\s+|[ \t]+)${NAME}(?:\[[^\]]*\])?\s+struct\b`) },
    { kind: 'interface', pattern: re(String.raw`^(?:type\s+|[ \t]+)${NAME}\s+interface\b`) },
    { kind: 'function', pattern: re(String.raw`^func\s+(?:\([^)]*\)\s*)?${NAME}\s*[(\[]`) },
  ],
};

export const shell: PatternLanguage = {
  blocks: 'brace',
  exported: () => true,
  imports: /^[ \t]*(?:source|\.)\s+["']?(?<source>[^\s"';]+)/gm,
  rules: [
    {
      kind: 'function',
      pattern: re(String.raw`^[ \t]*(?:function\s+(?<name2>[\w-]+)|(?<name>[\p{L}_][\p{L}\d_-]*)\s*\(\s*\))`),
    },
    { kind: 'constant', outside: true, pattern: re(String.raw`^(?:export\s+|readonly\s+)?(?<name>[A-Z][A-Z\d_]*)=`) },
  ],
};
