import * as z from 'zod';
import { coreJson, errorJson, expandJson, findJson, knowledgeJson, lookupJson } from '../agent/output-schemas.js';
import { lookupInput as lookupParameters, queryInput } from '../tools/builtin/core-tools.js';
import { findInput as findParameters } from '../tools/builtin/path-tools.js';
import { FEEDBACK_ABOUT } from '../zhcore/index.js';
import '../zod-zh.js';

/**
 * What the HTTP service takes and gives, as schemas: requests are checked by them, `/openapi.json` is made of them, and the client has its
 * types from them. Parameters are those of the tools. Fields may be added; none is ever renamed or given another meaning.
 */

/** Characters of a text that is looked for: the core looks at no more, and a request is a sentence. */
const TEXT_CHARS = 4_000;
/** Characters of a name or path. */
const NAME_CHARS = 1_024;
/** Symbols or files that one query may name: more is a dump of a file, not what somebody looks at. */
const NAMES_MAX = 200;

const name = z.string().min(1).max(NAME_CHARS);
/** The resolver takes no control characters; said here, clients know before they ask. */
const path = name.regex(/^[^\u0000-\u001F\u007F]+$/, '不能有控制字符');
const query = queryInput.shape;
const find = findParameters.shape;

/** `POST /query`, `/query/term`, `/query/knowledge`, `/query/playbook`. */
export const queryBody = z.strictObject({
  ...query,
  user_intent: query.user_intent.max(TEXT_CHARS),
  code_symbols: z.array(name).max(NAMES_MAX).default([]).describe('看到的代码符号，可以反查中文叫法'),
  module: name.optional().describe('所在模块，例如 order'),
  files: z.array(path).max(NAMES_MAX).optional().describe('正在看的文件，相对项目根目录'),
});

/** `POST /lookup`. */
export const lookupBody = z.strictObject({
  query_text: lookupParameters.shape.query_text.max(TEXT_CHARS),
  section_title: name.optional().describe('可选。上次结果列出了章节时，写章节名只取那一节'),
});

/** `POST /find`. */
export const findBody = z.strictObject({
  ...find,
  query: find.query.max(TEXT_CHARS),
  scope: path.optional().describe('只在这个目录里找'),
  exclude: name.optional().describe('排除的路径，glob 写法，例如 **/legacy/**'),
});

/** `POST /expand`. */
export const expandBody = z.strictObject({
  path: path.describe('要展开的目录或文件，相对项目根目录；根目录是 .'),
});

/** `GET /entries/{id}`. */
export const entryParameters = z.strictObject({
  id: name.describe('条目编号；知识片段是「文件#序号」，整篇知识是文件'),
});

/** `POST /feedback`. */
export const feedbackBody = z.strictObject({
  request_id: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, '是回答里 x-request-id 头的值')
    .describe('说的是哪一次回答：那次回答的 x-request-id'),
  verdict: z.enum(['good', 'bad']).describe('好还是不好'),
  about: z.enum(FEEDBACK_ABOUT).optional().describe('不好在哪里：意图、参数、回答、改动；不写就从原因里看'),
  why: z.string().min(1).max(500).optional().describe('一句话的原因；规矩类的话会变成给数据核心的建议，采纳才生效'),
  files: z.array(path).max(NAMES_MAX).optional().describe('和它有关的文件，相对项目根目录'),
});

const version = { data_version: z.string().describe('生效内容的哈希；内容不变它就不变') };
const head = {
  ...version,
  gate: coreJson.shape.gate.describe('有没有查，为什么'),
};
const { degraded, terms, knowledge, playbooks, warnings } = coreJson.shape;

export const queryAnswer = z.object({ ...head, degraded, terms, knowledge, playbooks, warnings });
export const termsAnswer = z.object({ ...head, terms });
export const knowledgeAnswer = z.object({ ...head, degraded, knowledge });
export const playbooksAnswer = z.object({ ...head, playbooks });
export const lookupAnswer = lookupJson.extend(version);

const tree = { ...version, tree_version: z.string().describe('文件和提交的版本；服务重启后重新计数') };
const note = z.string().optional().describe('路径写得不准、替你改过时，改成了什么');
export const findAnswer = findJson.extend({ ...tree, note });
const tie = z.object({ path: z.string(), line: z.number() });
export const expandAnswer = expandJson.extend({
  ...tree,
  note,
  children: z
    .array(z.object({ name: z.string(), path: z.string(), role: z.string(), summary: z.string() }))
    .optional()
    .describe('目录的子项'),
  symbols: z
    .array(z.object({ name: z.string(), kind: z.string(), line: z.number() }))
    .optional()
    .describe('文件的符号，最多五个'),
  imports_out: z.array(tie).describe('它引用的项目文件'),
  importers_in: z.array(tie).describe('引用它的项目文件'),
  companions: z.array(z.object({ path: z.string(), kind: z.string() })).describe('和它成对的文件：测试、样式……'),
});

const { excerpt: _, why: __, ...origin } = knowledgeJson.shape;
const { id, title, heading: ___, ...provenance } = origin;
const words = z.array(z.string());
export const entryAnswer = z.object({
  ...version,
  type: z.enum(['term', 'knowledge', 'playbook', 'warning']),
  id,
  ...provenance,
  module: z.string().optional(),
  title: title.optional(),
  keyword_ch: z.string().optional().describe('术语'),
  aliases: words.optional(),
  code_symbols: words.optional().describe('术语对应的代码符号'),
  note: z.string().optional(),
  risk: words.optional().describe('容易出错的地方'),
  danger: z.string().optional().describe('警示'),
  severity: z.enum(['block', 'warn']).optional().describe('block 退回改动，warn 提醒'),
  when: z.object({ symbols: words, paths: words, added: words, keywords: words }).optional().describe('警示什么时候响'),
  trigger_keywords: words.optional().describe('流程模板的触发词'),
  steps: words.optional(),
  heading: z.string().optional().describe('知识片段上面的标题'),
  content: z.string().optional().describe('知识的原文，或流程模板的说明'),
});

export const feedbackAnswer = z.object({
  ...version,
  request_id: z.string(),
  verdict: z.enum(['good', 'bad']),
  about: z.enum(FEEDBACK_ABOUT).nullable(),
  proposals: z
    .array(z.object({ id: z.string(), type: z.enum(['term', 'warning', 'step']) }))
    .describe('由原因看出的建议'),
});

export const healthAnswer = z.object({ status: z.literal('ok') });
export const readyAnswer = z.object({ status: z.literal('ready') });

/** The body of everything that failed. */
export const errorAnswer = z.object({
  error: errorJson.extend({
    request_id: z.string().describe('和 x-request-id 头、日志里的一样'),
    details: z.record(z.string(), z.unknown()),
  }),
});

export type QueryBody = z.input<typeof queryBody>;
export type LookupBody = z.input<typeof lookupBody>;
export type FindBody = z.input<typeof findBody>;
export type ExpandBody = z.input<typeof expandBody>;
export type FeedbackBody = z.input<typeof feedbackBody>;
export type QueryAnswer = z.output<typeof queryAnswer>;
export type TermsAnswer = z.output<typeof termsAnswer>;
export type KnowledgeAnswer = z.output<typeof knowledgeAnswer>;
export type PlaybooksAnswer = z.output<typeof playbooksAnswer>;
export type LookupAnswer = z.output<typeof lookupAnswer>;
export type FindAnswer = z.output<typeof findAnswer>;
export type ExpandAnswer = z.output<typeof expandAnswer>;
export type EntryAnswer = z.output<typeof entryAnswer>;
export type FeedbackAnswer = z.output<typeof feedbackAnswer>;
export type ErrorAnswer = z.output<typeof errorAnswer>;
