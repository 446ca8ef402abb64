import type { TraceDocument } from './trace.js';
import { FORM, TYPE } from './traceNames.js';

/** Characters of one message on the page; the whole is in `--json`. */
const MESSAGE_CHARS = 20_000;

/** Light and dark, no network, readable on paper. */
const STYLE = `
:root{color-scheme:light dark;--fg:#1f2328;--bg:#fff;--dim:#656d76;--line:#d0d7de;--soft:#f6f8fa;--add:#dafbe1;--mark:#fff8c5}
@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--dim:#8d96a0;--line:#30363d;--soft:#161b22;--add:#12361f;--mark:#3b2e00}}
body{margin:0 auto;max-width:72rem;padding:1.5rem;font:15px/1.6 system-ui,"PingFang SC","Microsoft YaHei",sans-serif;color:var(--fg);background:var(--bg)}
h1{font-size:1.3rem}h2{font-size:1.1rem;margin-top:2rem}
pre,code{font:13px/1.5 ui-monospace,Consolas,monospace}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);padding:.6rem;border-radius:6px;margin:.4rem 0}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left;vertical-align:top}
td.n{color:var(--dim);text-align:right;width:3rem}td.t{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--add);font:13px/1.5 ui-monospace,Consolas,monospace}
td.s{width:5rem}.dim{color:var(--dim)}section:target{outline:2px solid var(--line);background:var(--mark)}
section{border:1px solid var(--line);border-radius:8px;padding:.6rem 1rem;margin:1rem 0}summary{cursor:pointer}
`;

/**
 * A thread's trace as one page that needs nothing else: changed lines lead to their steps, steps to the prompt, the entries and the files.
 *
 * @returns HTML; all texts are escaped
 */
export function traceHtml(doc: TraceDocument): string {
  const files = [...new Set(doc.lines.map(({ path }) => path))];
  return `<!doctype html>
<html lang="zh-CN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${esc(doc.thread)} 追溯</title><style>${STYLE}</style></head><body>
<h1>${esc(doc.request)}</h1>
<p class="dim">会话 ${esc(doc.thread)}；写入凭据 ${esc(doc.receipt ?? '（没有写入）')}；模型 ${doc.usage.calls} 次，读入 ${doc.usage.input}，写出 ${doc.usage.output} token</p>
<h2>改过的行</h2>
${files.map((path) => fileTable(path, doc)).join('\n') || '<p>（没有）</p>'}
<h2>每一步</h2>
${doc.steps.map(stepSection).join('\n') || '<p>（没有用模型）</p>'}
<h2>注入的条目</h2>
${entryTable(doc)}
<h2>检查发现</h2>
${list(doc.findings)}
</body></html>
`;
}

function fileTable(path: string, { lines }: TraceDocument): string {
  const rows = lines
    .filter((one) => one.path === path)
    .map(({ line, text, step }) => {
      const from = step === null ? '<span class="dim">人改的</span>' : `<a href="#step-${step}">第 ${step} 步</a>`;
      return `<tr><td class="n">${line}</td><td class="t">${esc(text)}</td><td class="s">${from}</td></tr>`;
    });
  return `<h3><code>${esc(path)}</code></h3><table>${rows.join('')}</table>`;
}

const ROLES = { task: '任务', user: '你的意见', tool: '工具结果' } as const;

function stepSection({ step, said, calls, prompt, entries, files }: TraceDocument['steps'][number]): string {
  const added = prompt.added.map(({ role, text }) => `<p class="dim">${ROLES[role]}</p><pre>${esc(cut(text))}</pre>`);
  const done = calls.map(
    ({ tool, args, result }) => `<p><b>${esc(tool)}</b></p><pre>${esc(cut(args))}</pre><pre>${esc(cut(result))}</pre>`,
  );
  return `<section id="step-${step}"><h3>第 ${step} 步</h3>
${said === '' ? '' : `<pre>${esc(cut(said))}</pre>`}${done.join('')}
<details><summary>这一步新给模型的 ${prompt.added.length} 条消息（之前共 ${prompt.messages} 条）</summary>${added.join('')}</details>
<details><summary>当时看过的条目（${entries.length}）</summary>${list(entries.map((e) => `${TYPE[e.type] ?? e.type} ${e.id}，来源 ${e.source}，版本 ${e.version.slice(0, 7)}，可信度 ${e.confidence}；${e.why}`))}</details>
<details><summary>当时看过的文件（${files.length}）</summary>${list(files.map((f) => `${FORM[f.form] ?? f.form} ${f.path}`))}</details>
</section>`;
}

function entryTable({ injections }: TraceDocument): string {
  const rows = injections.map(
    (i) =>
      `<tr><td>${esc(TYPE[i.type] ?? i.type)}</td><td><code>${esc(i.id)}</code></td><td>${esc(i.source)}</td><td><code>${esc(i.version.slice(0, 7))}</code></td><td>${i.confidence}</td><td>${i.tokens}</td><td>${esc(i.why)}</td></tr>`,
  );
  if (rows.length === 0) return '<p>（没有）</p>';
  return `<table><tr><th>种类</th><th>条目</th><th>来源</th><th>版本</th><th>可信度</th><th>token</th><th>为什么</th></tr>${rows.join('')}</table>`;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '<p>（没有）</p>' : `<ul>${items.map((one) => `<li>${esc(one)}</li>`).join('')}</ul>`;
}

function cut(text: string): string {
  return text.length > MESSAGE_CHARS
    ? `${text.slice(0, MESSAGE_CHARS)}\n…（后面还有 ${text.length - MESSAGE_CHARS} 字）`
    : text;
}

/** Texts of repositories and models are data: no tag of theirs is one. Control characters are left out; pages may not hold them. */
function esc(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
