import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { comparedWith, readTestOutput, renderVerdict, testSummary } from '../../src/tools/index.js';

/** What a runner printed. */
const out = (stdout: string, outcome: 'ok' | 'failed' = 'failed') => ({
  outcome,
  exitCode: outcome === 'ok' ? 0 : 1,
  signal: null,
  stdout,
  stderr: '',
  truncated: false,
  durationMs: 10,
  confinement: 'bwrap' as const,
  keeper: 'pid-namespace' as const,
  leftovers: 0,
});

/** What a real run of that tool printed: its version stands in the text, or was the newest of November 2026. */
const recorded = (name: string) => readFileSync(new URL(`fixtures/reports/${name}.txt`, import.meta.url), 'utf8');
const JEST = recorded('jest');

const VITEST = `
 ❯ a.test.ts (3 tests | 2 failed) 49ms
     × 关单 40ms

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  b.test.ts [ b.test.ts ]
Error: Cannot find module './nope.js' imported from b.test.ts
 ❯ b.test.ts:1:1
      1| import './nope.js';
       | ^

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  a.test.ts > 订单 > 关单
AssertionError: expected { a: 1 } to deeply equal { a: 2 }

- Expected
+ Received

  {
-   "a": 2,
+   "a": 1,
  }

 ❯ a.test.ts:2:58
      2| describe('订单', () => {

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯

 Test Files  2 failed (2)
      Tests  1 failed | 12 passed (13)
   Duration  1.62s
`;

const TAP = `TAP version 13
# Subtest: 订单
    # Subtest: 关单 两次
    not ok 1 - 关单 两次
      ---
      duration_ms: 5.5
      location: 'test/a.test.js:3:29'
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:
        
        1 !== 2
        
      code: 'ERR_ASSERTION'
      stack: |-
        TestContext.<anonymous> (test/a.test.js:3:58)
      ...
    1..1
not ok 1 - 订单
  ---
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
# Subtest: throws
not ok 2 - throws
  ---
  location: 'test/a.test.js:4:1'
  failureType: 'testCodeFailure'
  error: '库存不足'
  ...
# tests 3
# pass 1
# fail 2
# skipped 0
`;

const SPEC = `✔ ok one (12.6ms)
▶ 订单
  ✖ 关单 (2.3ms)
✖ 订单 (3.4ms)

ℹ tests 2
ℹ pass 1
ℹ fail 1
ℹ skipped 0

✖ failing tests:

test at test/a.test.js:3:29
✖ 关单 (2.346216ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  1 !== 2

      at TestContext.<anonymous> (test/a.test.js:3:58)
      at Test.run (node:internal/test_runner/test:796:25) {
    generatedMessage: true,
    code: 'ERR_ASSERTION'
  }
`;

const PYTEST = `F.EF                                                                     [100%]
==================================== ERRORS ====================================
___________________________ ERROR at setup of test_db ___________________________

>   def db(): raise RuntimeError('连不上')
E   RuntimeError: 连不上

test_a.py:8: RuntimeError
=================================== FAILURES ===================================
_____________________________ TestOrder.test_close _____________________________

    def test_close(self):
>       assert f(1) == 2
E       assert 1 == 2
E        +  where 1 = f(1)

test_a.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::TestOrder::test_close - assert 1 == 2
ERROR test_a.py::test_db - RuntimeError: 连不上
1 failed, 1 passed, 1 error in 0.14s
`;

const GO = `# example.com/x/sub [example.com/x/sub.test]
sub/b.go:2:23: undefined: undefined1
--- FAIL: TestA (0.00s)
    --- FAIL: TestA/关单 (0.00s)
        a_test.go:3: 得到 1，
            应为 2
FAIL
FAIL	example.com/x	0.003s
FAIL	example.com/x/sub [build failed]
FAIL
`;

const GRADLE = `> Task :test FAILED

OrderTest > close() FAILED
    org.opentest4j.AssertionFailedError: expected: <2> but was: <1>
        at app//com.mall.OrderTest.close(OrderTest.java:12)

3 tests completed, 1 failed

BUILD FAILED in 3s
`;

describe('the failures of a run, and not the noise', () => {
  it.each<[string, string, object, [name: string, file: string | undefined, line: number | undefined, says: string][]]>(
    [
      [
        'vitest',
        VITEST,
        { passed: 12, failed: 1 },
        [
          ['b.test.ts', 'b.test.ts', 1, 'Cannot find module'],
          ['订单 > 关单', 'a.test.ts', 2, '"a": 2'],
        ],
      ],
      [
        'jest',
        JEST,
        { passed: 1, failed: 5 },
        [
          ['订单 › 关单', 't/a.test.js', 3, 'Expected: 2'],
          ['订单 › 抛错', 't/a.test.js', 4, '库存为空'],
          ['订单 › 加一 1 → 2', 't/a.test.js', 6, '"v": 2'],
          ['订单 › 加一 2 → 3', 't/a.test.js', 6, '"v": 3'],
          ['超时', 't/a.test.js', 8, 'Exceeded timeout of 50 ms'],
          ['Test suite failed to run', 't/b.test.js', 1, "Cannot find module './nope'"],
        ],
      ],
      [
        'mocha',
        recorded('mocha'),
        { passed: 1, failed: 5 },
        [
          ['订单 > 抛错', 'm/a.js', 7, '库存为空'],
          ['订单 > 超时', undefined, undefined, 'Timeout of 50ms'],
          ['订单 > 退款 > 关单', 'm/a.js', 4, '1 !== 2'],
          ['订单 > 退款 > 对象', 'm/a.js', 5, 'a: 2'],
          ['钩子 > "before each" hook for "a"', 'm/a.js', 12, '连不上库'],
        ],
      ],
      [
        'node:test',
        TAP,
        { passed: 1, failed: 2 },
        [
          ['关单 两次', 'test/a.test.js', 3, '1 !== 2'],
          ['throws', 'test/a.test.js', 4, '库存不足'],
        ],
      ],
      ['node:test', SPEC, { passed: 1, failed: 1 }, [['关单', 'test/a.test.js', 3, '1 !== 2']]],
      [
        'pytest',
        PYTEST,
        { passed: 1, failed: 2 },
        [
          ['TestOrder::test_close', 'test_a.py', 5, 'assert 1 == 2'],
          ['test_db', 'test_a.py', 8, '连不上'],
        ],
      ],
      [
        'pytest',
        recorded('pytest'),
        { passed: 2, failed: 3, skipped: 1 },
        [
          ['test_bad', 'test_a.py', 3, "{'a': 1}"],
          ['test_p[1]', 'test_a.py', 10, '太小'],
          ['test_db', 'test_a.py', 7, '连不上'],
        ],
      ],
      [
        'go',
        GO,
        { failed: 2 },
        [
          ['编译', 'sub/b.go', 2, 'undefined: undefined1'],
          ['TestA/关单', 'a_test.go', 3, '得到 1'],
        ],
      ],
      [
        'maven',
        recorded('surefire'),
        { passed: 2, failed: 3, skipped: 1 },
        [
          ['OrderTest.closes', 'demo/OrderTest.java', 7, 'expected: <2>'],
          ['OrderTest.each', 'demo/OrderTest.java', 10, '太小'],
          ['OrderTest.throwsIt', 'demo/OrderTest.java', 8, '库存为空'],
        ],
      ],
      ['maven', recorded('javac'), {}, [['编译', '/build/src/main/java/demo/Order.java', 2, 'variable x']]],
      [
        'gradle',
        recorded('gradle'),
        { passed: 1, failed: 2, skipped: 1 },
        [
          ['demo.OrderTest > closes', 'OrderTest.java', 5, 'AssertionError'],
          ['demo.OrderTest > throwsIt', 'OrderTest.java', 6, 'IllegalStateException'],
        ],
      ],
      ['gradle', recorded('gradle-javac'), {}, [['编译', '/build/src/main/java/demo/Order.java', 1, 'variable x']]],
      ['gradle', GRADLE, { passed: 2, failed: 1 }, [['OrderTest > close()', 'OrderTest.java', 12, 'expected: <2>']]],
      [
        'cargo',
        recorded('cargo'),
        { passed: 1, failed: 3, skipped: 1 },
        [
          ['tests::boom', 'src/lib.rs', 10, '库存为空'],
          ['tests::closes', 'src/lib.rs', 8, '关单'],
          ['src/lib.rs - doc (line 2)', 'src/lib.rs', 5, 'right: 3'],
        ],
      ],
      ['cargo', recorded('rustc'), {}, [['编译', 'src/lib.rs', 1, 'cannot find value `x`']]],
    ],
  )('%s', (runner, stdout, counts, failures) => {
    const report = readTestOutput(out(stdout))!;
    expect(report).toMatchObject({ runner, ...counts });
    expect(report.failures.map(({ name, file, line }) => [name, file, line])).toEqual(
      failures.map(([name, file, line]) => [name, file, line]),
    );
    for (const [i, [, , , says]] of failures.entries()) expect(report.failures[i]!.message).toContain(says);
    const text = testSummary(out(stdout));
    expect(text).toContain(failures[0]![3]);
    expect(text).not.toMatch(/node:internal|generatedMessage|⎯|maven-surefire-plugin/);
  });

  it('colours do not hide them', () => {
    const coloured = JEST.replace('FAIL', '\u001b[31mFAIL\u001b[39m').replace('Tests:', '\u001b[1mTests:\u001b[22m');
    expect(readTestOutput(out(coloured))).toMatchObject({
      runner: 'jest',
      failures: readTestOutput(out(JEST))!.failures,
    });
  });

  it('of an unknown runner are the last lines, without what the package manager says of itself', () => {
    const text = testSummary(
      out('\n> shop@1.0.0 test\n> ./check.sh\n\nnpm warn old lockfile\nchecking…\norder: 3 wrong\n'),
    );
    expect(text).toBe('checking…\norder: 3 wrong');
  });

  it('of a thousand tests take no more room than of twenty', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `FAILED test_a.py::test_${i} - assert ${i} == 0`).join('\n');
    const text = testSummary(out(`${many}\n1000 failed in 1.00s\n`));
    expect(text.length).toBeLessThan(2_000);
    expect(text).toContain('还有 985 个失败');
  });

  it('of a green run are none: the counts', () => {
    expect(testSummary(out('# tests 3\n# pass 3\n# fail 0\n# skipped 0\n', 'ok'))).toBe('通过 3，失败 0。');
  });
});

describe('a red run against the one without the changes', () => {
  const red = out(TAP);
  it('broke everything that is red where that was green', () => {
    expect(comparedWith(red, out('', 'ok'))).toMatchObject({ kind: 'broke', before: [] });
  });

  it('tells apart what was red before, although lines have moved', () => {
    const before = out(
      TAP.replace('not ok 1 - 关单 两次', 'ok 1 - 关单 两次').replace('a.test.js:4:1', 'a.test.js:9:1'),
    );
    const verdict = comparedWith(red, before);
    expect(verdict).toMatchObject({ kind: 'both', broke: [{ name: '关单 两次' }], before: [{ name: 'throws' }] });
    const text = renderVerdict(red, verdict);
    expect(text).toMatch(/这次改动弄坏的[\s\S]*关单 两次[\s\S]*改动前就失败的[\s\S]*throws/);
    expect(comparedWith(red, red).kind).toBe('before');
  });

  it('says that it does not know where nobody can read the tests', () => {
    const verdict = comparedWith(out('boom'), out('boom'));
    expect(verdict.kind).toBe('unknown');
    expect(renderVerdict(out('boom'), verdict)).toContain('改动前也是失败的');
  });
});
