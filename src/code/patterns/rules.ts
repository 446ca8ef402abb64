import type { Language, SymbolKind } from '../types.js';

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

const ID = String.raw`[\p{L}_$][\p{L}\d_$]*`;
const NAME = `(?<name>${ID})`;
const re = (source: string) => new RegExp(source, 'gmu');
const mods = (words: string) => String.raw`(?<mods>(?:(?:${words})\s+)*)`;

const ENUM_MEMBER: PatternRule = {
  kind: 'enum-member',
  within: 'enum',
  pattern: re(String.raw`^[ \t]*${NAME}[ \t]*(?:\([^()\n]*\)[ \t]*)?(?:=[^,\n]*)?(?:[,;]|\{|$)`),
};

const notPrivate = (modifiers: string) => !/\b(?:private|protected|internal)\b/.test(modifiers);
const isPublic = (modifiers: string) => /\b(?:public|pub)\b/.test(modifiers);

const SCRIPT_MODS = mods('export|default|declare|abstract|async');
const script: PatternLanguage = {
  blocks: 'brace',
  exported: (modifiers) => /\bexport\b/.test(modifiers),
  imports: /^\s*(?:import|export)\s+(?:type\s+)?(?:(?<names>[^'"\n;]+?)\s*from\s*)?['"](?<source>[^'"\n]+)['"]/gm,
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

const JAVA_MODS = mods('public|private|protected|static|final|abstract|synchronized|default|native|sealed|strictfp');
const java: PatternLanguage = {
  blocks: 'brace',
  exported: isPublic,
  imports: /^\s*import\s+(?:static\s+)?(?<source>[\w.]*\w(?:\.\*)?)\s*;/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^[ \t]*${JAVA_MODS}(?:class|record)\s+${NAME}`) },
    { kind: 'interface', pattern: re(String.raw`^[ \t]*${JAVA_MODS}@?interface\s+${NAME}`) },
    { kind: 'enum', pattern: re(String.raw`^[ \t]*${JAVA_MODS}enum\s+${NAME}`) },
    {
      kind: 'method',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*${JAVA_MODS}(?:<[^>\n]+>\s*)?(?<sig>[\w<>\[\],.? ]+?[ \t]+${NAME}\s*\([^;{}]*?\)[^;{}()]*)[{;]`,
      ),
    },
    {
      kind: 'constant',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:(?:public|private|protected)\s+)?(?:static\s+final|final\s+static)\s+)[\w<>\[\],.? ]+?\s+${NAME}\s*=`,
      ),
    },
    {
      kind: 'field',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:public|private|protected)\s+(?:final\s+|transient\s+|volatile\s+)*)[\w<>\[\],.? ]+?\s+${NAME}\s*[;=]`,
      ),
    },
    ENUM_MEMBER,
  ],
};

const KOTLIN_MODS = mods(
  'public|private|internal|protected|open|abstract|sealed|data|inner|annotation|value|override|suspend|inline|operator|companion|lateinit|const',
);
const kotlin: PatternLanguage = {
  blocks: 'brace',
  exported: notPrivate,
  imports: /^\s*import\s+(?<source>[\w.]*\w(?:\.\*)?)/gm,
  rules: [
    { kind: 'enum', pattern: re(String.raw`^[ \t]*${KOTLIN_MODS}enum\s+class\s+${NAME}`) },
    { kind: 'class', pattern: re(String.raw`^[ \t]*${KOTLIN_MODS}(?:class|object)\s+${NAME}`) },
    { kind: 'interface', pattern: re(String.raw`^[ \t]*${KOTLIN_MODS}(?:fun\s+)?interface\s+${NAME}`) },
    { kind: 'type', pattern: re(String.raw`^[ \t]*${KOTLIN_MODS}typealias\s+${NAME}`) },
    {
      kind: 'function',
      pattern: re(String.raw`^[ \t]*${KOTLIN_MODS}fun\s+(?:<[^>\n]+>\s*)?(?:[\w<>?.]+\.)?${NAME}\s*\(`),
    },
    { kind: 'constant', pattern: re(String.raw`^[ \t]*(?<mods>(?:private\s+|internal\s+)?const\s+)val\s+${NAME}`) },
    {
      kind: 'field',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?:@\w+[ \t]+)*(?<mods>(?:(?:private|override|lateinit|internal|protected)\s+)*)va[lr]\s+${NAME}\s*:`,
      ),
    },
    ENUM_MEMBER,
  ],
};

const C_NOT_NAME = '(?!(?:if|for|while|switch|return|else|do|sizeof|catch|new|delete|throw|case|defined)\\b)';
const cpp: PatternLanguage = {
  blocks: 'brace',
  exported: (modifiers) => !/\bstatic\b/.test(modifiers),
  imports: /^[ \t]*#[ \t]*include[ \t]*[<"](?<source>[^>"\n]+)[>"]/gm,
  rules: [
    { kind: 'enum', pattern: re(String.raw`^[ \t]*(?:typedef\s+)?enum\s+(?:class\s+|struct\s+)?${NAME}[^;(){}]*\{`) },
    {
      kind: 'class',
      pattern: re(
        String.raw`^[ \t]*(?:template\s*<[^>]*>\s*)?(?:typedef\s+)?(?:class|struct|union)\s+(?:[A-Z_]+\s+)?${NAME}[^;(){}=]*\{`,
      ),
    },
    {
      kind: 'type',
      outside: true,
      pattern: re(String.raw`^typedef\s+[^;{}]*?\b${NAME}\s*;|^using\s+(?<name2>${ID})\s*=`),
    },
    { kind: 'constant', pattern: re(String.raw`^[ \t]*#[ \t]*define[ \t]+${NAME}[ \t]+\S`) },
    {
      kind: 'constant',
      outside: true,
      pattern: re(
        String.raw`^(?<mods>(?:static\s+|extern\s+)?)(?:constexpr|const)\s+[\w:<>*& ]+?\s+\*?${NAME}\s*(?:\[[^\]]*\])?\s*=`,
      ),
    },
    {
      kind: 'function',
      outside: true,
      pattern: re(
        String.raw`^(?<mods>(?:(?:static|inline|extern|virtual|constexpr)\s+)*)(?<sig>${C_NOT_NAME}[\p{L}_][\p{L}\d_:<>,*& \t]*?[\s*&]${C_NOT_NAME}(?<name>(?:${ID}::)*~?${ID})\s*\([^;{}]*\)[^;{}()]*)\{`,
      ),
    },
    {
      kind: 'method',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]+(?<mods>(?:(?:virtual|static|inline|explicit|constexpr)\s+)*)(?<sig>(?:${C_NOT_NAME}[\p{L}_][\p{L}\d_:<>,*& \t]*?[\s*&])?${C_NOT_NAME}~?${NAME}\s*\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\)[ \t]*(?:const|noexcept|override|final|[ \t])*)(?:=\s*\w+\s*)?[;{:]`,
      ),
    },
    ENUM_MEMBER,
  ],
};

const CSHARP_MODS =
  'public|private|protected|internal|static|async|virtual|override|abstract|sealed|partial|readonly|extern|new|unsafe|required';
const csharp: PatternLanguage = {
  blocks: 'brace',
  exported: isPublic,
  imports: /^\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?(?<source>[\w.]+)\s*;/gm,
  rules: [
    {
      kind: 'class',
      pattern: re(String.raw`^[ \t]*${mods(CSHARP_MODS)}(?:class|struct|record(?:\s+struct|\s+class)?)\s+${NAME}`),
    },
    { kind: 'interface', pattern: re(String.raw`^[ \t]*${mods(CSHARP_MODS)}interface\s+${NAME}`) },
    { kind: 'enum', pattern: re(String.raw`^[ \t]*${mods(CSHARP_MODS)}enum\s+${NAME}`) },
    {
      kind: 'method',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:(?:${CSHARP_MODS})\s+)+)(?<sig>(?:[\w<>\[\],.?]+[ \t]+)?${NAME}\s*(?:<[^>\n]*>)?\s*\([^;{}]*?\))`,
      ),
    },
    // Members of interfaces have no modifiers and no body.
    {
      kind: 'method',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]+(?<sig>(?!(?:return|await|throw|new|yield|else|var|using)\b)[\w<>\[\],.?]+[ \t]+${NAME}\s*(?:<[^>\n]*>)?\s*\([^;{}]*?\))\s*;`,
      ),
    },
    {
      kind: 'constant',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:(?:${CSHARP_MODS})\s+)*)(?:const|static\s+readonly)\s+[\w<>\[\],.? ]+?\s+${NAME}\s*=`,
      ),
    },
    {
      kind: 'field',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:(?:${CSHARP_MODS})\s+)+)[\w<>\[\],.? ]+?\s+${NAME}\s*(?:\{\s*(?:get|set|init)|;|=(?!>))`,
      ),
    },
    ENUM_MEMBER,
  ],
};

const RUST_MODS = String.raw`(?<mods>(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|default|extern)\s+)*)`;
const rust: PatternLanguage = {
  blocks: 'brace',
  exported: isPublic,
  imports: /^\s*(?:pub\s+)?use\s+(?<source>\w+(?:::\w+)*)(?:::\{(?<names>[^}]*)\})?/gm,
  rules: [
    {
      kind: 'scope',
      pattern: re(String.raw`^[ \t]*(?:unsafe\s+)?impl(?:\s*<[^{]*?>)?\s+(?:[\w:<>, ]+?\s+for\s+)?${NAME}[^{;]*\{`),
    },
    { kind: 'class', pattern: re(String.raw`^[ \t]*${RUST_MODS}(?:struct|union)\s+${NAME}`) },
    { kind: 'enum', pattern: re(String.raw`^[ \t]*${RUST_MODS}enum\s+${NAME}`) },
    { kind: 'interface', pattern: re(String.raw`^[ \t]*${RUST_MODS}trait\s+${NAME}`) },
    { kind: 'type', pattern: re(String.raw`^[ \t]*${RUST_MODS}type\s+${NAME}[^=\n]*=`) },
    {
      kind: 'function',
      pattern: re(String.raw`^[ \t]*${RUST_MODS}fn\s+${NAME}\s*[(<]|^macro_rules!\s*(?<name2>${ID})`),
    },
    {
      kind: 'constant',
      pattern: re(String.raw`^[ \t]*(?<mods>(?:pub(?:\([^)]*\))?\s+)?)(?:const|static)\s+(?:mut\s+)?${NAME}\s*:`),
    },
    {
      kind: 'field',
      within: 'class',
      pattern: re(String.raw`^[ \t]+(?<mods>(?:pub(?:\([^)]*\))?\s+)?)${NAME}\s*:[^:]`),
    },
    ENUM_MEMBER,
  ],
};

const PHP_MODS = mods('public|private|protected|static|final|abstract|readonly');
const php: PatternLanguage = {
  blocks: 'brace',
  exported: notPrivate,
  imports:
    /^\s*use\s+(?:function\s+|const\s+)?(?<source>[\w\\]+)(?:\\\{(?<names>[^}]*)\})?(?:\s+as\s+\w+)?\s*;|^\s*(?:require|include)(?:_once)?\s*\(?\s*(?:__DIR__\s*\.\s*)?['"](?<source2>[^'"]+)['"]/gm,
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

const ruby: PatternLanguage = {
  blocks: 'end',
  exported: (_modifiers, name) => !name.startsWith('_'),
  imports: /^\s*require(?:_relative)?\s*\(?\s*['"](?<source>[^'"\n]+)['"]/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^[ \t]*(?:class|module)\s+(?<name>(?:${ID}::)*${ID})`) },
    { kind: 'function', pattern: re(String.raw`^[ \t]*def\s+(?:self\.)?(?<name>${ID}[?!=]?)`) },
    { kind: 'constant', pattern: re(String.raw`^[ \t]*(?<name>[A-Z][A-Z\d_]*)\s*=[^=~]`) },
  ],
};

const python: PatternLanguage = {
  blocks: 'indent',
  exported: (_modifiers, name) => !name.startsWith('_'),
  imports: /^\s*from\s+(?<source>\S+)\s+import\s+(?<names>[^\n#(]+|\([^)]*\))|^\s*import\s+(?<source2>[\w.]+)/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^[ \t]*class\s+${NAME}`) },
    { kind: 'function', pattern: re(String.raw`^[ \t]*(?:async\s+)?def\s+${NAME}`) },
    { kind: 'constant', outside: true, pattern: re(String.raw`^(?<name>[A-Z][A-Z\d_]*)\s*(?::[^=\n]+)?=[^=]`) },
  ],
};

const go: PatternLanguage = {
  blocks: 'brace',
  exported: (_modifiers, name) => /^\p{Lu}/u.test(name),
  imports: /^\s*(?:import\s+)?(?:[\w.]+\s+)?"(?<source>[\w.\-/]+)"\s*$/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^(?:type\s+|[ \t]+)${NAME}(?:\[[^\]]*\])?\s+struct\b`) },
    { kind: 'interface', pattern: re(String.raw`^(?:type\s+|[ \t]+)${NAME}\s+interface\b`) },
    { kind: 'function', pattern: re(String.raw`^func\s+(?:\([^)]*\)\s*)?${NAME}\s*[(\[]`) },
  ],
};

const shell: PatternLanguage = {
  blocks: 'brace',
  exported: () => true,
  imports: /^\s*(?:source|\.)\s+["']?(?<source>[^\s"';]+)/gm,
  rules: [
    {
      kind: 'function',
      pattern: re(String.raw`^[ \t]*(?:function\s+(?<name2>[\w-]+)|(?<name>[\p{L}_][\p{L}\d_-]*)\s*\(\s*\))`),
    },
    { kind: 'constant', outside: true, pattern: re(String.raw`^(?:export\s+|readonly\s+)?(?<name>[A-Z][A-Z\d_]*)=`) },
  ],
};

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
