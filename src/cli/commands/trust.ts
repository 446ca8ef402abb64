import { createInterface } from 'node:readline/promises';
import pc from 'picocolors';
import type * as z from 'zod';
import { projectRoot } from '../../layout.js';
import { MCP_FILE, POLICY_FILE, variablesOf } from '../../tools/index.js';
import { trust as remember, shownAddress } from '../../trust.js';
import { allDestinations, type ProjectDestination } from '../destinations.js';
import { EXIT } from '../exit-codes.js';
import { log, print, printJson, visible } from '../output.js';
import type { trustJson } from '../schemas/trust.js';
import type { CommonOptions } from './options.js';

interface TrustOptions extends CommonOptions {
  yes?: boolean;
  revoke?: boolean;
}

type Outcome = z.infer<typeof trustJson>;
type Shown = Outcome['destinations'][number];

/** What goes to each destination, and the variable that holds its key. */
const SENDS: Record<string, { sends: string; variables: string[] }> = {
  'model.baseUrl': { sends: '你的请求、读到的代码和知识', variables: ['XIHE_API_KEY'] },
  'model.fallbacks': { sends: '模型出错时换到这里：你的请求、读到的代码和知识', variables: [] },
  'embedding.baseUrl': { sends: '知识片段和查询的文字', variables: ['XIHE_EMBED_API_KEY'] },
  'embedding.langchain': { sends: '执行这个包里的代码，知识片段和查询的文字交给它', variables: [] },
  'milvus.address': { sends: '知识片段的向量和词', variables: ['XIHE_MILVUS_TOKEN'] },
  'alerts.webhook': { sends: '告警：任务、失败原因、输出的最后 20 行', variables: ['XIHE_ALERT_SECRET'] },
  'dolphin.address': { sends: '你让它建的工作流（脚本全文）、运行和定时', variables: ['XIHE_DOLPHIN_TOKEN'] },
};

const MARKS = { local: '本机，不用信任', trusted: '已信任', untrusted: '还没有信任' } as const;

/**
 * `xihe trust`: shows where the project's settings would send what, and remembers that the user agreed. Without `--yes` it asks; where
 * nobody can be asked, it ends with the code for a decision that is waited for.
 */
export async function trust(options: TrustOptions): Promise<number> {
  const { root, layerDir } = projectRoot(options.repo);
  const found = allDestinations(layerDir);
  const outcome: Outcome = { project: root, destinations: found.map(shownOf) };
  const end = (code: number, said: string): number => {
    if (options.json) printJson(outcome);
    else print(said);
    return code;
  };
  if (options.revoke) {
    outcome.file = remember(root, []);
    outcome.destinations = allDestinations(layerDir).map(shownOf);
    return end(EXIT.done, '已收回：这个项目写的地址和操作，都要重新信任才会用。');
  }
  if (!options.json && found.length > 0) print(outcome.destinations.map(lineOf).join('\n'));
  if (found.length === 0)
    return end(EXIT.done, '项目的设置没有写地址，也没有不问就运行、要用密钥的操作和 MCP 服务器，没有什么要信任的。');
  if (found.every(({ chosen }) => chosen !== 'untrusted')) return end(EXIT.done, '都信任过了。');
  const agreed = options.yes === true || (options.json !== true && (await asked()));
  if (!agreed) return end(EXIT.waiting, '没有信任。信得过就运行 xihe trust --yes。');
  outcome.file = remember(
    root,
    found.filter(({ chosen }) => chosen !== 'local'),
  );
  outcome.destinations = allDestinations(layerDir).map(shownOf);
  return end(
    EXIT.done,
    `已信任，记在 ${outcome.file}。设置里的地址变了要重新信任；收回用 xihe trust --revoke。正在运行的服务要重启。`,
  );
}

/** Whoever is to agree sees the whole of it; a command that is longer is none that anybody could judge. */
const AGREED_CHARS = 4_000;

function shownOf({ setting, address, chosen, ruled }: ProjectDestination): Shown {
  const known = SENDS[setting];
  const shown = shownAddress(address, AGREED_CHARS);
  if (known === undefined) {
    const told = setting.startsWith(MCP_FILE) ? mcpOf(address) : toolOf(setting, address, ruled);
    return { setting, address: shown, ...told, chosen };
  }
  const named = [...address.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name as string);
  const variables = setting === 'embedding.langchain' ? [...new Set(named)] : known.variables;
  return { setting, address: shown, sends: known.sends, variables, chosen };
}

/** An MCP server, see `mcpDestinations`. */
function mcpOf(address: string): Pick<Shown, 'sends' | 'variables'> {
  const { command } = JSON.parse(address) as { command?: string };
  const what = command === undefined ? '连接这个 MCP 服务器' : '用你的权限启动这个 MCP 服务器';
  return { sends: `${what}；它标为只读的操作不再问你，模型给的参数会交给它`, variables: variablesOf(address) };
}

/** A team's tool, see `teamDestinations`, or the rules that allow something, see `policyFile.ts`. */
function toolOf(setting: string, address: string, ruled = false): Pick<Shown, 'sends' | 'variables'> {
  if (setting === POLICY_FILE) return { sends: '规则里 allow 的操作不再问你就执行', variables: [] };
  const { danger, env } = JSON.parse(address) as { danger: string; env: string[] };
  if (ruled) return { sends: '有规则放行它：符合时就运行这条命令，不再问你', variables: env };
  const asks = danger === 'low' ? '标的是低危：说到它就运行，不再问你' : '运行这条命令，运行前会问你';
  return { sends: asks, variables: env };
}

function lineOf({ setting, address, sends, variables, chosen }: Shown): string {
  const set = variables.map((name) => `${name}${process.env[name] ? '' : '（没有设置）'}`).join('、');
  const key = set === '' ? '' : `，用到的环境变量：${visible(set)}`;
  const mark = { local: pc.dim, trusted: pc.green, untrusted: pc.yellow }[chosen](MARKS[chosen]);
  return `${setting}：${visible(address)}  ${mark}\n    ${pc.dim(`${sends}${key}`)}`;
}

/** Only where a person sits at both ends. */
async function asked(): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question('都信任吗？上面写的内容和密钥会交给它们。[y/N] ');
    return /^(?:y|yes|是|好)$/i.test(answer.trim());
  } finally {
    lines.close();
    log('');
  }
}
