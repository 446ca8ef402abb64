import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import pc from 'picocolors';
import type { ConfirmRequest, FillRequest, PendingRequest, Session } from '../agent/index.js';
import { XiheError } from '../errors.js';
import { colourDiff, print, visible } from './output.js';
import type { Stopper } from './stopper.js';

const DANGER: Record<string, string> = { low: '低', medium: '中', high: '高' };

/** Asks at the terminal; the answer is in the shape that the graph resumes with. Undefined when the user leaves it open. */
export async function askUser(request: PendingRequest, session: Session, stopper: Stopper): Promise<unknown> {
  show(request, session);
  if (request.kind === 'fill') return askParameters(request, stopper);
  if (request.kind === 'confirm') return askConfirm(request, session, stopper);
  const said = await question(
    request.kind === 'ask' ? '继续吗？[y 继续 / n 不做 / 直接写补充说明] ' : '执行吗？[y / n] ',
    stopper,
  );
  if (said === undefined || said === '') return undefined;
  // Read by the graph, which knows yes and no in Chinese too.
  return { decisions: [said] };
}

/** What is asked, as text. */
export function show(request: PendingRequest, session: Session): void {
  if (request.kind === 'confirm') showConfirm(request, session);
  else print(`\n${pc.bold('需要你决定')}\n${visible(request.actionRequests[0]?.description ?? '')}`);
}

function showConfirm(request: ConfirmRequest, session: Session): void {
  if (request.problem) print(pc.yellow(`\n上一个答复没有用上：${request.problem}`));
  // The question carries a shortened diff; here the whole one is at hand.
  const whole = session.project
    .changeset(request.changesetId)
    .diff()
    .map((d) => d.patch)
    .join('\n');
  print(`\n${colourDiff(whole || request.diff)}`);
  print(pc.bold(`要写入 ${request.files.length} 个文件，危险等级${DANGER[request.danger] ?? request.danger}：`));
  for (const f of request.files) {
    const now = f.now === undefined ? '' : pc.dim(`  现在 ${visible(f.now)}`);
    const gone = f.change === 'deleted' ? pc.red('删除 ') : '';
    print(`  ${gone}${visible(f.path)}  ${pc.green(`+${f.added}`)} ${pc.red(`−${f.removed}`)}${now}`);
  }
  if (request.tests)
    print(
      request.tests.ok
        ? pc.green(`测试通过：${request.tests.command}`)
        : pc.red(`测试没有通过：${request.tests.command}\n${visible(request.tests.summary)}`),
    );
  for (const f of request.findings)
    print(
      `${f.severity === 'block' ? pc.red('必须改') : pc.yellow('提醒')}：${visible(f.text)}${f.source ? pc.dim(`（来源 ${f.source}）`) : ''}`,
    );
  for (const { text, versions } of request.conflicts ?? []) {
    print(pc.red(`没有解决的冲突，不会写入：${visible(text)}`));
    for (const { title, diff } of versions) print(`${pc.bold(`「${visible(title)}」的版本：`)}\n${colourDiff(diff)}`);
  }
  for (const c of request.commands)
    print(`之后请自己运行：${c.command}（${c.purpose}，危险等级${DANGER[c.danger] ?? c.danger}）`);
}

async function askConfirm(request: ConfirmRequest, session: Session, stopper: Stopper): Promise<unknown> {
  for (;;) {
    const said = await question('写入吗？[y 写入 / n 拒绝 / e 用编辑器改 / c 提意见让它改] ', stopper);
    if (said === undefined) return undefined;
    if (/^y(es)?$|^是$|^好$/i.test(said)) return { decisions: [{ type: 'approve' }] };
    if (/^n(o)?$|^否$|^不$/i.test(said)) {
      const why = await question('为什么？（可以直接回车） ', stopper);
      return { decisions: [{ type: 'reject', ...(why ? { message: why } : {}) }] };
    }
    if (/^e(dit)?$/i.test(said)) {
      const files = editFiles(request, session);
      return { decisions: [{ type: 'edit', editedAction: { name: 'apply_changeset', args: { files } } }] };
    }
    if (/^c(omment)?$/i.test(said)) {
      const comment = await question('意见： ', stopper);
      if (comment) return { decisions: [{ type: 'edit', message: comment }] };
    }
  }
}

async function askParameters(request: FillRequest, stopper: Stopper): Promise<unknown> {
  const given: Record<string, string> = {};
  for (const m of request.missing) {
    const said = await question(
      `${m.explain}${m.choices.length > 0 ? `（${m.choices.join(' / ')}）` : ''}： `,
      stopper,
    );
    if (said === undefined) return undefined;
    if (said === '') return { decisions: [{ type: 'reject' }] };
    given[m.name] = said;
  }
  return given;
}

/** Opens each changed file in the user's editor; returns those that exist after the change, with their new text. */
function editFiles(request: ConfirmRequest, session: Session): { path: string; text: string }[] {
  const editor = process.env.VISUAL || process.env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const changeset = session.project.changeset(request.changesetId);
  const dir = mkdtempSync(join(tmpdir(), 'xihe-edit-'));
  try {
    return request.files
      .filter((f) => f.change !== 'deleted')
      .map((f, i) => {
        // The name comes from the model and the editor is started by a shell: only the ending is kept, for highlighting.
        const file = join(dir, `${i}${/^\.\w{1,10}$/.test(extname(f.path)) ? extname(f.path) : ''}`);
        writeFileSync(file, changeset.read(f.path).text);
        const done = spawnSync(`${editor} "${file}"`, { stdio: 'inherit', shell: true });
        if (done.status !== 0) {
          throw new XiheError('RESUME_INVALID', `编辑器没有正常退出：${editor}`, {
            hint: '检查环境变量 EDITOR，改动仍在暂存区。',
          });
        }
        return { path: f.path, text: readFileSync(file, 'utf8') };
      });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** One line from the terminal; undefined at end of input or when stopped. */
async function question(text: string, stopper: Stopper): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string | undefined>((resolve) => {
      terminal.once('close', () => resolve(undefined));
      // The terminal is in raw mode: Ctrl-C comes as a key.
      terminal.once('SIGINT', () => stopper.press());
      terminal.question(text, { signal: stopper.signal }).then(
        (said) => resolve(said.trim()),
        () => resolve(undefined),
      );
    });
  } finally {
    terminal.close();
  }
}
