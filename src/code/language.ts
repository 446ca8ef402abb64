import type { Language } from './types.js';

const BY_ENDING: Record<string, Language> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  vue: 'vue',
  java: 'java',
  kt: 'kotlin',
  kts: 'kotlin',
  py: 'python',
  pyi: 'python',
  go: 'go',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
  ino: 'cpp',
  cs: 'csharp',
  rs: 'rust',
  php: 'php',
  rb: 'ruby',
  rake: 'ruby',
  gemspec: 'ruby',
  sql: 'sql',
  ddl: 'sql',
  xml: 'xml',
  xsd: 'xml',
  html: 'html',
  htm: 'html',
  css: 'css',
  scss: 'css',
  less: 'css',
  json: 'json',
  json5: 'json',
  jsonc: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  md: 'markdown',
  mdx: 'markdown',
  markdown: 'markdown',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
};

const BY_NAME: Record<string, Language> = {
  rakefile: 'ruby',
  gemfile: 'ruby',
  gradlew: 'shell',
  '.bashrc': 'shell',
  '.zshrc': 'shell',
};

/**
 * The language of a file, by its name alone.
 *
 * @param path absolute or relative, either kind of slash
 */
export function languageOf(path: string): Language {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return BY_NAME[name] ?? (dot >= 0 ? BY_ENDING[name.slice(dot + 1)] : undefined) ?? 'other';
}
