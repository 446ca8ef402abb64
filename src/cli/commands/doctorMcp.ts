import type { ProjectLayout } from '../../layout.js';
import { visibleLine } from '../output.js';
import type { Check } from './doctor.js';

/** Names of tools that are shown of one server. */
const SHOWN = 8;

const KINDS = { stdio: '本机命令', http: 'HTTP', sse: 'SSE', auto: 'HTTP' } as const;

/** The MCP servers, a line each; those that the user trusts are started and asked for their tools. Nothing where there are none. */
export async function mcpChecks(layout: ProjectLayout): Promise<Check[]> {
  const { MCP_FILE, McpHub } = await import('../../tools/index.js');
  const hub = new McpHub(layout.root, layout.layerDir);
  try {
    const faults = hub.problems.map(
      ({ file, line, reason }): Check => ({
        name: 'MCP',
        state: 'warn',
        detail: `${file}:${line}：${visibleLine(reason)}`,
        hint: `改好 ${MCP_FILE}；其余服务器照常。`,
      }),
    );
    const servers = (await hub.status()).map(({ name, kind, state, tools, note, source }): Check => {
      const title = `MCP ${visibleLine(name)}`;
      if (state === 'untrusted') {
        const detail = `${KINDS[kind]}，写在 ${visibleLine(source)}，还没有信任，没有启动`;
        return { name: title, state: 'warn', detail, hint: '运行 xihe trust 看清楚它会启动或连接什么，再决定。' };
      }
      if (state === 'failed')
        return { name: title, state: 'warn', detail: visibleLine(note), hint: '不用它就从文件里去掉；其余照常。' };
      const shown = tools.slice(0, SHOWN).join('、') + (tools.length > SHOWN ? ` 等 ${tools.length} 个` : '');
      const detail = `${KINDS[kind]}，操作：${shown || '没有'}`;
      return { name: title, state: 'ok', detail, hint: note === '' ? '' : `没有用的：${visibleLine(note)}` };
    });
    return [...faults, ...servers];
  } finally {
    await hub.close();
  }
}
