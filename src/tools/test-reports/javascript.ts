import { countIn, counts, messageOf, placeIn, type Reader, type TestFailure } from './types.js';

/** Vitest: ` FAIL  file > suite > test`, the message, ` ❯ file:line`, ` Tests  1 failed | 2 passed (3)`. */
export const vitest: Reader = (lines) => {
  const summary = lines.find((line) => /^\s*Tests\s+(?:\d+ \w+|no tests)/.test(line));
  const heads = lines.flatMap((line, i) => (/^\s*FAIL\s+\S+.*( > |\[ .* \])/.test(line) ? [i] : []));
  if (summary === undefined && heads.length === 0) return undefined;
  if (summary === undefined && !lines.some((line) => /^\s*Test Files\s/.test(line))) return undefined;
  const failures = heads.map((at, k): TestFailure => {
    const head = lines[at]!.trim().replace(/^FAIL\s+(\|[^|]*\| )?/, '');
    const body = lines.slice(at + 1, heads[k + 1] ?? at + 60);
    const end = body.findIndex((line) => /^\s*⎯{4,}/.test(line));
    const own = end < 0 ? body : body.slice(0, end);
    const [file, ...names] = head.split(' > ');
    const name = names.length > 0 ? names.join(' > ') : head.replace(/\s*\[ .* \]$/, '');
    return { name, file: file!.replace(/\s*\[ .* \]$/, ''), ...placeIn(own), message: messageOf(own) };
  });
  const text = summary ?? '';
  return {
    runner: 'vitest',
    ...counts(countIn(text, /(\d+) passed/), countIn(text, /(\d+) failed/), countIn(text, /(\d+) skipped/)),
    failures,
  };
};

/** Jest: `FAIL file`, `  ● suite › test`, the message, `Tests: 1 failed, 2 passed, 3 total`. */
export const jest: Reader = (lines) => {
  const summary = lines.findLast((line) => /^Tests:\s+.*\d+ total/.test(line));
  if (summary === undefined) return undefined;
  const failures: TestFailure[] = [];
  const seen = new Set<string>();
  let file: string | undefined;
  for (const [i, line] of lines.entries()) {
    file = /^FAIL\s+(\S+)/.exec(line)?.[1] ?? file;
    const name = /^\s*● (?!Console)(.+)$/.exec(line)?.[1];
    if (name === undefined || seen.has(`${file} ${name}`)) continue;
    seen.add(`${file} ${name}`);
    const rest = lines.slice(i + 1);
    const end = rest.findIndex((next) => /^\s*● |^(FAIL|PASS)\s|^Test Suites:/.test(next));
    const body = end < 0 ? rest : rest.slice(0, end);
    failures.push({ name, ...(file ? { file } : {}), ...placeIn(body), message: messageOf(body) });
  }
  return {
    runner: 'jest',
    ...counts(countIn(summary, /(\d+) passed/), countIn(summary, /(\d+) failed/), countIn(summary, /(\d+) skipped/)),
    failures,
  };
};

/** Mocha's `spec`: `2 passing`, `1 failing`, then `  1) suite`, deeper names, the message. */
export const mocha: Reader = (lines) => {
  const passing = lines.findIndex((line) => /^\s*\d+ passing\b/.test(line));
  if (passing < 0) return undefined;
  const tail = lines.slice(passing);
  const text = tail.slice(0, 4).join('\n');
  const heads = tail.flatMap((line, i) => (/^\s{2}\d+\) /.test(line) ? [i] : []));
  const failures = heads.map((at, k): TestFailure => {
    const block = tail.slice(at, heads[k + 1] ?? at + 60);
    const last = block.findIndex((line, i) => i > 0 && /:\s*$/.test(line));
    const names = block.slice(0, last < 0 ? 1 : last + 1);
    const name = names
      .map((line) => line.replace(/^\s*\d+\) /, '').trim())
      .join(' > ')
      .replace(/:$/, '');
    const body = block.slice(names.length);
    return { name, ...placeIn(body), message: messageOf(body) };
  });
  return {
    runner: 'mocha',
    ...counts(countIn(text, /(\d+) passing/), countIn(text, /(\d+) failing/) ?? 0, countIn(text, /(\d+) pending/)),
    failures,
  };
};

/** Node's own runner in both of its forms: TAP (`not ok 1 - name`), and the list under `✖ failing tests:`. */
export const nodeTest: Reader = (lines) => {
  const text = lines.filter((line) => /^(#|ℹ) (tests|pass|fail|skipped|cancelled) \d+$/.test(line)).join('\n');
  if (!/(#|ℹ) tests \d+/.test(text)) return undefined;
  const listed = lines.findIndex((line) => /^✖ failing tests:/.test(line));
  const failures = listed >= 0 ? listedFailures(lines.slice(listed + 1)) : tapFailures(lines);
  return {
    runner: 'node:test',
    ...counts(countIn(text, /(?:#|ℹ) pass (\d+)/), countIn(text, /(?:#|ℹ) fail (\d+)/), countIn(text, /skipped (\d+)/)),
    failures,
  };
};

function listedFailures(lines: readonly string[]): TestFailure[] {
  const heads = lines.flatMap((line, i) => (/^✖ /.test(line) ? [i] : []));
  return heads.map((at, k) => {
    const body = lines.slice(at + 1, heads[k + 1] === undefined ? at + 40 : heads[k + 1]! - 1);
    const name = lines[at]!.replace(/^✖ /, '').replace(/ \([\d.]+ms\)$/, '');
    const place = placeIn([lines[at - 1] ?? '']) ?? placeIn(body);
    return { name, ...place, message: messageOf(body) };
  });
}

function tapFailures(lines: readonly string[]): TestFailure[] {
  return lines.flatMap((line, i): TestFailure[] => {
    const found = /^(\s*)not ok \d+ - (.*)$/.exec(line);
    if (!found) return [];
    const end = lines.findIndex((next, j) => j > i && next === `${found[1]}  ...`);
    const block = lines.slice(i + 1, end < 0 ? i + 40 : end);
    // A suite fails because of what is in it, which is listed itself.
    if (block.some((next) => /failureType: '(subtestsFailed|hookFailed)'/.test(next))) return [];
    const place = /location: '(.+?):(\d+):\d+'/.exec(block.join('\n'));
    const at = place ? { file: place[1]!, line: Number(place[2]) } : placeIn(block);
    return [{ name: found[2]!.replace(/ # .*$/, ''), ...at, message: tapMessage(block) }];
  });
}

/** The `error` of a TAP block: quoted in one line, or the indented lines behind `|-`. */
function tapMessage(block: readonly string[]): string {
  const at = block.findIndex((line) => /^\s*error:/.test(line));
  if (at < 0) return '';
  const one = /error: '(.*)'$/.exec(block[at]!)?.[1];
  if (one !== undefined) return one;
  const end = block.findIndex((line, i) => i > at && /^\s*(code|name|expected|actual|operator|stack):/.test(line));
  return messageOf(block.slice(at + 1, end < 0 ? undefined : end));
}
