import type { EvalRun } from './result.js';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML 1.0 has no way to write (§2.2). */
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const xml = (text: string) => text.replace(NOT_XML, '').replace(/[&<>"]/g, (c) => ESCAPES[c]!);

/** The runs as JUnit's XML: a suite an arm, a case a run. Without a model a case fails where not everything that decides was shown. */
export function toJUnit(runs: readonly EvalRun[]): string {
  const arms = [...new Set(runs.map((run) => run.arm))];
  const suites = arms.map((arm) => {
    const own = runs.filter((run) => run.arm === arm);
    const cases = own.map(caseOf).join('\n');
    const failed = own.filter((run) => failureOf(run) !== null).length;
    return `<testsuite name="${xml(arm)}" tests="${own.length}" failures="${failed}">\n${cases}\n</testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="xihe eval">\n${suites.join('\n')}\n</testsuites>\n`;
}

function caseOf(run: EvalRun): string {
  const failure = failureOf(run);
  const open = `<testcase classname="${xml(run.class)}" name="${xml(`${run.task} #${run.repeat}`)}" time="${(run.ms / 1000).toFixed(3)}"`;
  return failure === null ? `${open}/>` : `${open}><failure message="${xml(failure)}"/></testcase>`;
}

function failureOf({ outcome, support, error }: EvalRun): string | null {
  if (error) return `${error.code} ${error.message}`;
  if (outcome === null) {
    const absent = support.items.filter((item) => item.rank === null).map((item) => `${item.kind} ${item.id}`);
    return absent.length > 0 ? `没有摆出：${absent.join('、')}` : null;
  }
  if (outcome.success) return null;
  const why = [
    ...(outcome.hidden === false ? [`隐藏测试没过：${outcome.output.split('\n').slice(-5).join(' ')}`] : []),
    ...outcome.missing.map((fact) => `缺 /${fact}/`),
    ...outcome.wrong.map((fact) => `不该有 /${fact}/`),
  ];
  return why.join('；') || '没有成功';
}
