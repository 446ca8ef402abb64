import { ENUM_MEMBER, ID, isPublic, mods, NAME, notPrivate, type PatternLanguage, re } from './rule.js';

const JAVA_MODS = mods('public|private|protected|static|final|abstract|synchronized|default|native|sealed|strictfp');
export const java: PatternLanguage = {
  blocks: 'brace',
  exported: isPublic,
  imports: /^[ \t]*import\s+(?:static\s+)?(?<source>[\w.]*\w(?:\.\*)?)\s*;/gm,
  rules: [
    { kind: 'class', pattern: re(String.raw`^[ \t]*${JAVA_MODS}(?:class|record)\s+${NAME}`) },
    { kind: 'interface', pattern: re(String.raw`^[ \t]*${JAVA_MODS}@?interface\s+${NAME}`) },
    { kind: 'enum', pattern: re(String.raw`^[ \t]*${JAVA_MODS}enum\s+${NAME}`) },
    {
      kind: 'method',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*${JAVA_MODS}(?:<[^>\n]+>\s*)?(?<sig>[\w<>\[\],.?][\w<>\[\],.? ]*?[ \t]+${NAME}\s*\([^;{}]*?\)[^;{}()]*)[{;]`,
      ),
    },
    {
      kind: 'constant',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:(?:public|private|protected)\s+)?(?:static\s+final|final\s+static)\s+)[\w<>\[\],.?][\w<>\[\],.? ]*?\s+${NAME}\s*=`,
      ),
    },
    {
      kind: 'field',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:public|private|protected)\s+(?:final\s+|transient\s+|volatile\s+)*)[\w<>\[\],.?][\w<>\[\],.? ]*?\s+${NAME}\s*[;=]`,
      ),
    },
    ENUM_MEMBER,
  ],
};

const KOTLIN_MODS = mods(
  'public|private|internal|protected|open|abstract|sealed|data|inner|annotation|value|override|suspend|inline|operator|companion|lateinit|const|actual|expect|infix|tailrec|external',
);
export const kotlin: PatternLanguage = {
  blocks: 'brace',
  exported: notPrivate,
  imports: /^[ \t]*import\s+(?<source>[\w.]*\w(?:\.\*)?)/gm,
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
export const cpp: PatternLanguage = {
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
export const csharp: PatternLanguage = {
  blocks: 'brace',
  exported: isPublic,
  imports: /^[ \t]*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?(?<source>[\w.]+)\s*;/gm,
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
        String.raw`^[ \t]*(?<mods>(?:(?:${CSHARP_MODS})\s+)+)(?<sig>(?:[\w:<>\[\],.?][\w:<>\[\],.? ]*[ \t]+)?${NAME}\s*(?:<[^>\n]*>)?\s*\([^;{}]*?\))`,
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
        String.raw`^[ \t]*(?<mods>(?:(?:${CSHARP_MODS})\s+)*)(?:const|static\s+readonly)\s+[\w<>\[\],.?][\w<>\[\],.? ]*?\s+${NAME}\s*=`,
      ),
    },
    {
      kind: 'field',
      within: 'class',
      pattern: re(
        String.raw`^[ \t]*(?<mods>(?:(?:${CSHARP_MODS})\s+)+)[\w<>\[\],.?][\w<>\[\],.? ]*?\s+${NAME}\s*(?:\{\s*(?:get|set|init)|;|=(?!>))`,
      ),
    },
    ENUM_MEMBER,
  ],
};

const RUST_MODS = String.raw`(?<mods>(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|default|extern)\s+)*)`;
export const rust: PatternLanguage = {
  blocks: 'brace',
  exported: isPublic,
  imports: /^[ \t]*(?:pub\s+)?use\s+(?<source>\w+(?:::\w+)*)(?:::\{(?<names>[^}]*)\})?/gm,
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
