import { countIn, counts, messageOf, type Reader, type TestFailure } from './types.js';

/** Maven's Surefire: the list under `Failures:` and `Errors:`, and the compiler's errors. */
export const surefire: Reader = (lines) => {
  const total = lines.findLast((line) => /Tests run: \d+, Failures: \d+, Errors: \d+/.test(line));
  const compiler = lines.flatMap((line, i): TestFailure[] => {
    const found = /^\[ERROR\]\s+(\S+\.(?:java|kt|scala|groovy)):\[(\d+),\d+\] (.*)$/.exec(line);
    if (!found) return [];
    // What javac says of the name stands in indented lines; the second list of the same errors has `[ERROR]` before them.
    const more = lines
      .slice(i + 1, i + 3)
      .filter((next) => /^(\[ERROR\])?\s+(symbol|location|required|found):/.test(next));
    const message = [found[3]!, ...more.map((next) => next.replace(/^\[ERROR\]/, '').trim())].join('\n');
    return [{ name: '编译', file: found[1]!, line: Number(found[2]), message }];
  });
  if (total === undefined && compiler.length === 0) return undefined;
  const failures = lines.flatMap((line): TestFailure[] => {
    const found =
      /^\[ERROR\]\s{2,}([\w$]+(?:Test|Tests|IT|Spec|TestCase)?[.\w$»]*?)(?:\(\))?(?::(\d+))?(?:->\S+)?(?::\d+)? (?:» )?(\S.*)$/.exec(
        line,
      );
    if (!found || !found[1]!.includes('.')) return [];
    const place = found[2] ? { file: sourceOf(lines, found[1]!, found[2]), line: Number(found[2]) } : {};
    return [{ name: found[1]!, ...place, message: found[3]!.slice(0, 300) }];
  });
  const [run, failed, errors, skipped] = (total?.match(/\d+/g) ?? []).map(Number);
  const bad = (failed ?? 0) + (errors ?? 0);
  return {
    runner: 'maven',
    ...(run === undefined ? {} : counts(run - bad - (skipped ?? 0), bad, skipped)),
    failures: dedupe([...compiler, ...failures]),
  };
};

/** The file of a test that Surefire names by its class only: out of its stack, else what Java asks of a public class. */
function sourceOf(lines: readonly string[], test: string, line: string): string {
  const frame = new RegExp(`^\\s+at (?:\\S+/)?(\\S+)\\.\\S+\\(([\\w$]+\\.\\w+):${line}\\)$`);
  const type = test.split('.')[0]!;
  for (const text of lines) {
    const found = frame.exec(text);
    const names = found?.[1]?.split('.') ?? [];
    if (!found || !names.some((part) => part.split('$')[0] === type)) continue;
    return [...names.slice(0, -1).filter((part) => /^[a-z_]/.test(part)), found[2]!].join('/');
  }
  return `${type}.java`;
}

/** Gradle: `FooTest > bar() FAILED`, the message; `3 tests completed, 1 failed`; `Foo.java:12: error: …`. */
export const gradle: Reader = (lines) => {
  if (!lines.some((line) => /^(BUILD (FAILED|SUCCESSFUL)|> Task :|\d+ tests? completed)/.test(line))) return undefined;
  const failures = lines.flatMap((line, i): TestFailure[] => {
    // An old Gradle prints what javac says right behind the name of the task.
    const compiler =
      /^(?::[\w:]+(?=\/))?(?:e: )?(?:file:\/\/)?(\S+\.(?:java|kt)):(\d+)(?::\d+)?:? (?:error: )?(.+)$/.exec(line);
    if (compiler && /error:|^e: /.test(line)) {
      const symbol = lines.slice(i + 1, i + 5).filter((next) => /^\s+(symbol|location|required|found):/.test(next));
      const message = [compiler[3]!, ...symbol.map((next) => next.trim())].join('\n');
      return [{ name: '编译', file: compiler[1]!, line: Number(compiler[2]), message }];
    }
    const name = /^(\S.* > .*) FAILED$/.exec(line)?.[1];
    if (name === undefined) return [];
    const rest = lines.slice(i + 1, i + 30);
    const end = rest.findIndex((next) => /^\S/.test(next));
    const body = end < 0 ? rest : rest.slice(0, end);
    const place =
      /\(([\w$]+\.(?:java|kt)):(\d+)\)/.exec(body.join('\n')) ??
      / at ([\w$]+\.(?:java|kt)):(\d+)/.exec(body.join('\n'));
    return [{ name, ...(place ? { file: place[1]!, line: Number(place[2]) } : {}), message: messageOf(body) }];
  });
  const text = lines.findLast((line) => /^\d+ tests? completed/.test(line)) ?? '';
  const total = countIn(text, /^(\d+) tests?/);
  const failed = countIn(text, /(\d+) failed/);
  const skipped = countIn(text, /(\d+) skipped/);
  const passed = total === undefined ? undefined : total - (failed ?? 0) - (skipped ?? 0);
  return { runner: 'gradle', ...counts(passed, failed, skipped), failures };
};

/** pytest: `FAILED file::test - message`, and the lines with `E` of its section. */
export const pytest: Reader = (lines) => {
  const last = lines.findLast((line) => /^(=+ )?\d+ (passed|failed|errors?|skipped)\b.* in [\d.]+s/.test(line));
  if (last === undefined) return undefined;
  const failures = lines.flatMap((line): TestFailure[] => {
    const found = /^(FAILED|ERROR) (\S+?)(?:::(.+?))?(?: - (.*))?$/.exec(line);
    if (!found) return [];
    const [, , file, name, short] = found;
    const section = sectionOf(lines, name?.split('::').join('.') ?? file!);
    const place = section.map((text) => /^(\S+\.py):(\d+): /.exec(text)).findLast((match) => match !== null);
    const said = section.filter((text) => /^E\s/.test(text)).map((text) => text.replace(/^E\s+/, ''));
    return [
      {
        name: name ?? file!,
        file: file!,
        ...(place ? { line: Number(place[2]) } : {}),
        message: said.length > 0 ? messageOf(said) : (short ?? ''),
      },
    ];
  });
  const errors = countIn(last, /(\d+) errors?/) ?? 0;
  return {
    runner: 'pytest',
    ...counts(
      countIn(last, /(\d+) passed/),
      (countIn(last, /(\d+) failed/) ?? 0) + errors,
      countIn(last, /(\d+) skipped/),
    ),
    failures,
  };
};

function sectionOf(lines: readonly string[], name: string): readonly string[] {
  const isHead = (line: string) => /^_{2,} .* _{2,}$/.test(line);
  const from = lines.findIndex((line) => isHead(line) && (line.includes(` ${name} `) || line.includes(`${name} _`)));
  if (from < 0) return [];
  const end = lines.findIndex((line, i) => i > from && (isHead(line) || /^={4,}/.test(line)));
  return lines.slice(from + 1, end < 0 ? undefined : end);
}

/** Go: `--- FAIL: TestA`, its indented lines; `file.go:3:5: …` of a package that does not build. */
export const go: Reader = (lines) => {
  if (!lines.some((line) => /^(ok|FAIL|\?)\s+\S+/.test(line))) return undefined;
  const failures = lines.flatMap((line, i): TestFailure[] => {
    const build = /^(?:vet: )?(\S+\.go):(\d+):\d+: (.*)$/.exec(line);
    if (build) return [{ name: '编译', file: build[1]!, line: Number(build[2]), message: build[3]! }];
    if (/^panic: /.test(line)) return [{ name: 'panic', message: line.slice(7) }];
    const found = /^(\s*)--- FAIL: (\S+)/.exec(line);
    if (!found) return [];
    const rest = lines.slice(i + 1, i + 40);
    const end = rest.findIndex((next) => !next.startsWith(`${found[1]}    `) || /^\s*--- /.test(next));
    const body = end < 0 ? rest : rest.slice(0, end);
    const place = body.map((text) => /^\s*(\S+\.go):(\d+): ?(.*)$/.exec(text)).find((match) => match !== null);
    // A test that only holds failed ones says nothing itself.
    if (body.length === 0 && lines[i + 1]?.includes('--- FAIL: ')) return [];
    return [
      {
        name: found[2]!,
        ...(place ? { file: place[1]!, line: Number(place[2]) } : {}),
        message: messageOf(body.map((text) => text.replace(/^\s*\S+\.go:\d+: ?/, ''))),
      },
    ];
  });
  return { runner: 'go', ...(failures.length > 0 ? { failed: failures.length } : {}), failures };
};

/** Cargo: `---- name stdout ----`, the panic, `test result: FAILED. 1 passed; 1 failed`, and what rustc says. */
export const cargo: Reader = (lines) => {
  const results = lines.filter((line) => /^test result: /.test(line));
  const compiler = lines.flatMap((line, i): TestFailure[] => {
    const said = /^error(?:\[E\d+\])?: (.*)$/.exec(line)?.[0];
    const place = /^\s*--> (\S+\.rs):(\d+):\d+$/.exec(lines[i + 1] ?? '');
    return said && place ? [{ name: '编译', file: place[1]!, line: Number(place[2]), message: said }] : [];
  });
  if (results.length === 0 && compiler.length === 0) return undefined;
  const failures = lines.flatMap((line, i): TestFailure[] => {
    const name = /^---- (.+) stdout ----$/.exec(line)?.[1];
    if (name === undefined) return [];
    const rest = lines.slice(i + 1, i + 20);
    const end = rest.findIndex((next) => /^(----|failures:|note: |stack backtrace:)/.test(next));
    const body = end < 0 ? rest : rest.slice(0, end);
    const at = body.findIndex((text) => /panicked at /.test(text));
    const place = /panicked at (?:'.*', )?(\S+\.rs):(\d+)/.exec(body[at] ?? '');
    // The line of the panic says the thread and the place; an old rustc has the message in it too.
    const said = place && /panicked at \S+:$/.test(body[at]!) ? body.slice(at + 1) : body;
    return [{ name, ...(place ? { file: place[1]!, line: Number(place[2]) } : {}), message: messageOf(said) }];
  });
  const sum = (pattern: RegExp) => results.reduce((n, line) => n + (countIn(line, pattern) ?? 0), 0);
  const told = results.length > 0 ? counts(sum(/(\d+) passed/), sum(/(\d+) failed/), sum(/(\d+) ignored/)) : {};
  return { runner: 'cargo', ...told, failures: dedupe([...compiler, ...failures]) };
};

function dedupe(failures: TestFailure[]): TestFailure[] {
  return [...new Map(failures.map((one) => [`${one.name}:${one.file ?? ''}:${one.line ?? ''}`, one])).values()];
}
