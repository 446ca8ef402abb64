import { posix } from 'node:path';
import type { TestCommand } from './testCommand.js';

/** A part of a project's tests. */
export interface TestFocus {
  /** Test files, POSIX, relative to the project's root. */
  files?: readonly string[];
  /** A word of the name of a test. */
  name?: string;
}

/** Options of Node's test runner whose value is the next word. */
const NODE_VALUE_FLAGS = new Set(['--import', '--require', '-r', '--loader', '--test-reporter', '--test-concurrency']);

/**
 * The command for a part of the tests.
 *
 * @returns a shell line for the project's root; undefined where this command can't be asked for a part
 */
export function focused(test: TestCommand, focus: TestFocus): string | undefined {
  const files = (focus.files ?? []).map((file) => posix.relative(test.folder, file));
  const name = focus.name ?? '';
  // What begins with a dash would be read as an option; a quote would leave the word.
  if ([...files, name].some((word) => word.startsWith('-') || /['\n\r\0]/.test(word) || word.startsWith('..')))
    return undefined;
  const part = partOf(test, files, name);
  if (part === undefined) return undefined;
  return test.line === test.command ? part : test.command.slice(0, -test.line.length) + part;
}

function partOf({ line, script }: TestCommand, files: string[], name: string): string | undefined {
  const paths = files.map(quoted).join(' ');
  const words = [name === '' ? '' : quoted(name), paths];
  const add = (...more: string[]) => [line, ...more.filter(Boolean)].join(' ');
  if (/\bpytest\b/.test(line)) return add(name && `-k ${words[0]}`, paths);
  if (/^go test\b/.test(line)) return goPart(line, files, name);
  if (/^(?:\S*\/)?mvnw?\b/.test(line))
    return jvmPart(files, name, (tests) =>
      add(`-Dtest=${quoted(tests.join(','))}`, '-DfailIfNoTests=false', '-Dsurefire.failIfNoSpecifiedTests=false'),
    );
  if (/^(?:\S*\/)?gradlew?\b/.test(line))
    return jvmPart(files, name, (tests) => add(...tests.map((t) => `--tests ${quoted(t)}`)));
  if (/^cargo test\b/.test(line)) return name ? add(words[0]!) : undefined;
  return scriptPart(line, script ?? line, paths, name);
}

/** Go runs packages: the folders of the files. */
function goPart(line: string, files: string[], name: string): string {
  const folders = [...new Set(files.map((file) => `./${posix.dirname(file)}`.replace(/^\.\/\.$/, '.')))];
  const base = folders.length > 0 ? `go test ${folders.map(quoted).join(' ')}` : line;
  return name === '' ? base : `${base} -run ${quoted(name)}`;
}

/** Maven and Gradle run classes: the files' names. */
function jvmPart(files: string[], name: string, make: (tests: string[]) => string): string {
  const classes = files.map((file) => posix.basename(file).replace(/\.\w+$/, ''));
  return make(classes.length > 0 ? classes : [`*${name}*`]);
}

/** Test runners of JavaScript take files, and a name by an option; through a package manager behind its own separator. */
function scriptPart(line: string, script: string, paths: string, name: string): string | undefined {
  if (/[;&|<>$`]/.test(script)) return undefined;
  const isNode = /\bnode\b.*\s--test\b/.test(script);
  if (isNode) return nodePart(script, paths, name);
  const option = /\b(?:vitest|jest)\b/.test(script) ? '-t' : /\bmocha\b/.test(script) ? '-g' : undefined;
  if (option === undefined) return undefined;
  const more = [paths, name && `${option} ${quoted(name)}`].filter(Boolean).join(' ');
  return `${line}${/^npm /.test(line) ? ' --' : ''} ${more}`;
}

/** Node's own runner adds files to those that the script names, so the line is made anew without them. */
function nodePart(script: string, paths: string, name: string): string | undefined {
  const words = script.trim().split(/\s+/);
  if (words[0] !== 'node' || /["']/.test(script)) return undefined;
  const kept = words.filter(
    (word, i) => i === 0 || word.startsWith('-') || NODE_VALUE_FLAGS.has(words[i - 1]!) || paths === '',
  );
  const pattern = name === '' ? [] : [`--test-name-pattern=${quoted(name)}`];
  const at = kept.indexOf('--test') + 1;
  return [...kept.slice(0, at), ...pattern, ...kept.slice(at), paths].filter(Boolean).join(' ');
}

/** A word that the shell leaves alone; callers have refused quotes. */
function quoted(word: string): string {
  return /^[\w./@:=-]+$/.test(word) ? word : `'${word}'`;
}
