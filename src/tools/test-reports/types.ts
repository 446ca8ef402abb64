/** One test that failed. */
export interface TestFailure {
  /** As the runner names it, suites before it. */
  name: string;
  /** As the runner prints it: relative, or absolute in the scratch copy. */
  file?: string;
  /** 1-based. */
  line?: number;
  /** What the runner says of it, a few lines. */
  message: string;
}

/** What a test run printed, read. Counts are absent where the runner says none. */
export interface TestReport {
  runner: string;
  passed?: number;
  failed?: number;
  skipped?: number;
  failures: TestFailure[];
}

/** Reads the output of one runner; undefined where it is not that runner's. */
export type Reader = (lines: readonly string[]) => TestReport | undefined;

/** Lines of a message that are kept. */
const MESSAGE_LINES = 8;
/** Characters of one of them. */
const LINE_CHARS = 200;

/** A message without blank lines, code frames and what follows the first stack frame, a few lines long. */
export function messageOf(lines: readonly string[]): string {
  const frame = lines.findIndex((line) => /^\s*(at \S|❯ )/.test(line));
  return lines
    .slice(0, frame < 0 ? undefined : frame)
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '' && !/^\s*(>?\s*\d+\s*[|│]|\|\s*\^|[⎯─═]+)/.test(line))
    .slice(0, MESSAGE_LINES)
    .map((line) => line.trim().slice(0, LINE_CHARS))
    .join('\n');
}

/** The first place in the project that lines name: `at f (test/a.js:5:13)`, `❯ test/a.test.ts:5:15`. */
export function placeIn(lines: readonly string[]): { file: string; line: number } | undefined {
  for (const text of lines) {
    if (/node_modules|node:internal|\(node:/.test(text)) continue;
    const found = /(?:file:\/\/)?([\w@./\\\u0080-\uffff-]+\.\w+):(\d+)(?::\d+)?\)?/.exec(text);
    if (found && /^\s*(at |❯|test at|location)/.test(text)) return { file: found[1]!, line: Number(found[2]) };
  }
  return undefined;
}

/** A number out of a line, where the pattern has one. */
export function countIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The counts that are there. */
export function counts(passed?: number, failed?: number, skipped?: number): Partial<TestReport> {
  return {
    ...(passed === undefined ? {} : { passed }),
    ...(failed === undefined ? {} : { failed }),
    ...(skipped === undefined ? {} : { skipped }),
  };
}
