import * as z from 'zod';
import { traceJson } from './trace/schema.js';

export { traceJson };

/**
 * Every JSON document that the command line prints, as schemas in one place. `docs/json.md` is made from them.
 * Fields may be added; a field is never renamed or given another meaning.
 */

const provenance = {
  source: z.string().describe('来源：随包自带的是官方地址，项目里的是 repo:// 路径，或它所在的文件和它自称的出处'),
  file: z.string().optional().describe('条目写在哪个文件里；有它时 source 只是条目自称的出处'),
  layer: z.enum(['general', 'project']).describe('general 随包自带，project 是团队自己的'),
  version: z.string().describe('条目内容的哈希'),
  status: z.enum(['verified', 'candidate']).describe('verified 已核实，candidate 疑似'),
  confidence: z.number().describe('可信度 0–1'),
};

export const termJson = z.object({
  id: z.string(),
  keyword_ch: z.string(),
  ...provenance,
  module: z.string().optional(),
  note: z.string().optional(),
  risk: z.array(z.string()).optional().describe('容易出错的地方'),
  why: z.string(),
  symbols: z
    .array(z.object({ name: z.string(), file: z.string().nullable(), line: z.number().nullable() }))
    .describe('代码符号及其位置；file 为 null 表示代码里没找到'),
});

export const knowledgeJson = z.object({
  id: z.string(),
  title: z.string(),
  heading: z.string(),
  excerpt: z.string(),
  why: z.string(),
  ...provenance,
});

export const checkJson = z.object({
  type: z.string(),
  target: z.string(),
  purpose: z.string(),
  state: z.enum(['ok', 'missing', 'failed', 'skipped']),
  detail: z.string(),
});

export const playbookJson = z.object({
  id: z.string(),
  title: z.string(),
  why: z.string(),
  steps: z.array(z.string()),
  checks: z.array(checkJson),
  post_checks: z.array(z.string()),
  ...provenance,
});

export const warningJson = z.object({ id: z.string(), danger: z.string(), why: z.string(), ...provenance });

export const fileJson = z.object({
  path: z.string(),
  why: z.string().describe('为什么找到它'),
  summary: z.string().describe('一行说明'),
});

export const errorJson = z.object({ code: z.string(), message: z.string(), hint: z.string() });

/** The brief: what the core and the path context know about a request. */
export const briefJson = z.object({
  route: z.object({
    kind: z.enum(['edit', 'qa', 'tool', 'chat']),
    layer: z.enum(['rule', 'similar', 'learned', 'refused']),
    evidence: z.string(),
  }),
  plan: z
    .object({
      task_type: z.string(),
      steps: z.array(z.string()),
      focus: z.array(z.string()),
      open_questions: z.array(z.string()),
      stopped: z.string().nullable(),
    })
    .nullable(),
  terms: z.array(termJson),
  knowledge: z.array(knowledgeJson),
  playbooks: z.array(playbookJson),
  warnings: z.array(warningJson),
  files: z.array(fileJson),
  tokens: z.object({ total: z.number(), by: z.record(z.string(), z.number()) }).describe('预案的 token 估算'),
});

export const waitingJson = z.object({
  kind: z.enum(['ask', 'fill', 'approve', 'confirm']),
  text: z.string(),
  request: z.record(z.string(), z.unknown()),
});

export const runJson = briefJson.extend({
  thread: z.string(),
  status: z.enum(['done', 'failed', 'waiting', 'rejected']),
  intents: z.array(z.object({ kind: z.string(), text: z.string(), layer: z.string(), evidence: z.string() })),
  report: z.object({ kind: z.string(), ok: z.boolean(), text: z.string() }).nullable(),
  reports: z.array(z.object({ kind: z.string(), ok: z.boolean(), text: z.string() })),
  answer: z.string().nullable(),
  agents: z
    .array(
      z.object({
        name: z.string(),
        title: z.string(),
        state: z
          .enum(['done', 'stopped', 'failed'])
          .describe('stopped 没有做完，它改好的照样合并；failed 出错，它的改动没有采用'),
        why: z.string().nullable(),
        files: z.array(z.string()),
        turns: z.number(),
      }),
    )
    .describe('同时做的子智能体，每份一个；名字带 -fix 的是解决冲突'),
  changes: z
    .object({
      changeset: z.string(),
      files: z.array(z.object({ path: z.string(), change: z.string(), added: z.number(), removed: z.number() })),
    })
    .nullable(),
  receipt: z.string().nullable().describe('写入凭据，xihe undo 用它'),
  findings: z.array(
    z.object({
      from: z.string(),
      severity: z.string(),
      text: z.string(),
      path: z.string().optional(),
      line: z.number().optional(),
      source: z.string().optional(),
    }),
  ),
  tests: z
    .object({
      command: z.string(),
      ok: z.boolean(),
      summary: z.string(),
      sandbox: z.string().optional().describe('测试命令是怎么隔离和看管的'),
    })
    .nullable(),
  waiting: waitingJson.nullable(),
  usage: z.object({
    input: z.number(),
    output: z.number(),
    calls: z.number(),
    cached: z.number().optional().describe('读入里命中服务商缓存的 token，服务商说了才有'),
    cost: z.number().optional().describe('按 model.prices 算的花费，没写价目就没有'),
    currency: z.string().optional(),
    estimated: z.boolean().optional().describe('服务商没有给用量，token 是估算的'),
  }),
  error: errorJson.nullable(),
  problems: z
    .array(z.object({ file: z.string(), line: z.number(), reason: z.string() }))
    .describe('没能加载的文件；其余照常'),
});

export const errorOutputJson = z.object({ error: errorJson.extend({ details: z.record(z.string(), z.unknown()) }) });

export const threadsJson = z.object({
  threads: z.array(
    z.object({
      thread: z.string(),
      at: z.string(),
      request: z.string(),
      status: z.enum(['done', 'failed', 'waiting', 'rejected', 'interrupted']),
    }),
  ),
});

export const stepsJson = z.object({
  thread: z.string(),
  steps: z.array(
    z.object({
      id: z.string().describe('会话@步，xihe run --from 用它'),
      step: z.number(),
      after: z.string().nullable().describe('刚做完的一步'),
      next: z.string().nullable().describe('接下来的一步；空表示已经结束'),
      at: z.string(),
      run: z.number(),
      turn: z.number().describe('执行阶段到这里的轮数'),
    }),
  ),
});

export const sayJson = z.object({
  thread: z.string(),
  n: z.number().describe('这个会话里的第几句'),
  running: z.boolean().describe('会话正在跑；不在跑时，接着跑才听到'),
});

export const undoJson = z.object({ receipt: z.string(), files: z.array(z.string()) });

export const coreJson = z.object({
  data_version: z.string(),
  gate: z.object({ asked: z.boolean(), why: z.string() }),
  degraded: z.string().optional().describe('向量没能参与的原因；这次只按词查'),
  terms: z.array(termJson.omit({ symbols: true }).extend({ code_symbols: z.array(z.string()) })),
  knowledge: z.array(knowledgeJson),
  playbooks: z.array(playbookJson.omit({ checks: true, post_checks: true })),
  warnings: z.array(warningJson),
  problems: z.array(z.object({ file: z.string(), line: z.number(), reason: z.string() })),
});

const lookupPart = {
  content: z.string().describe('原文'),
  source: z.string().describe('所在的文件'),
  origin: z.string().optional().describe('文件内容的出处：官方地址、repo:// 路径'),
  title: z.string().optional(),
  heading: z.string().optional().describe('这段文字上面的标题'),
  version: z.string().optional().describe('文档内容的哈希'),
  confidence: z.number().optional().describe('可信度 0–1'),
  score: z.number().optional().describe('与查询的相近程度'),
  valid_until: z.string().optional().describe('写明只适用到哪一天或哪个版本'),
  expired: z.literal(true).optional().describe('按今天的日期已经过期'),
};
export const lookupJson = z.object({
  found: z.boolean(),
  primary: z
    .object({
      ...lookupPart,
      content: z.string().describe('原文：开头 2000 字以内，给了 --section 时是那一节；没有那一节时是空的'),
      match_type: z.literal('exact_L0'),
      sections: z.array(z.string()).optional().describe('可以用 --section 取的章节'),
      missing_section: z.string().optional().describe('给了 --section，文档里却没有的那一节；这时退出码是 1'),
      others: z
        .array(z.object({ title: z.string(), source: z.string() }))
        .optional()
        .describe('也提到它的文档'),
    })
    .nullable()
    .describe('按关键词精确命中的文档'),
  nearest: z
    .array(z.object({ title: z.string(), source: z.string() }))
    .optional()
    .describe('什么都没查到时，标题最接近的文档；不是答案'),
  supplement: z
    .object({ ...lookupPart, match_type: z.literal('semantic_L1') })
    .nullable()
    .describe('意思相近的一段'),
  degraded: z.literal(true).optional().describe('向量（或 Milvus）没能参与，只按词或本机的向量答的'),
  degraded_why: z.string().optional().describe('没能参与的原因'),
  pending: z.number().optional().describe('还没有向量的知识片段数，眼下只能按词找到；运行 xihe index 建好'),
});

export const findJson = z.object({
  query: z.string(),
  method: z.string(),
  files: z.array(fileJson.extend({ score: z.number() })),
});

export const treeJson = z.object({ text: z.string(), nodes: z.number(), tokens: z.number(), omitted: z.number() });

export const expandJson = z.object({ path: z.string(), text: z.string(), tokens: z.number() });

export const doctorJson = z.object({
  ok: z.boolean(),
  checks: z.array(
    z.object({ name: z.string(), state: z.enum(['ok', 'warn', 'fail', 'off']), detail: z.string(), hint: z.string() }),
  ),
  embedding: z
    .object({
      provider: z.enum(['embedded', 'endpoint', 'langchain', 'none']),
      id: z.string().optional().describe('向量的标识：模型、版本、维数'),
      dimension: z.number().optional(),
      runtime: z.enum(['wasm', 'native']).optional().describe('自带模型用什么计算；没加载完时没有'),
      answers: z.boolean().describe('这一次算出了向量'),
    })
    .optional()
    .describe('谁来算向量；设置有误时没有'),
});

export const initJson = z.object({ created: z.array(z.string()), kept: z.array(z.string()) });

export const graphJson = z.object({ mermaid: z.string() });

/** Command → its document. */
export const OUTPUT_SCHEMAS = {
  'run / resume': runJson,
  threads: threadsJson,
  'threads 会话': stepsJson,
  say: sayJson,
  undo: undoJson,
  trace: traceJson,
  core: coreJson,
  lookup: lookupJson,
  find: findJson,
  tree: treeJson,
  expand: expandJson,
  doctor: doctorJson,
  init: initJson,
  graph: graphJson,
  '（出错时）': errorOutputJson,
} as const;

export type BriefJson = z.infer<typeof briefJson>;
export type RunJson = z.infer<typeof runJson>;
