/**
 * Endpoints that teams use, so that `model.preset: deepseek` is enough: where it is, which variable holds its key, what it can do.
 *
 * Every line names the page that it was read from and the day it was read. Vendors change their models faster than we ship: what is
 * set in the settings always wins, and `xihe doctor --model` asks the endpoint itself.
 */

/** Parameters of a request that some endpoints refuse and that a call can do without. */
export const OPTIONAL_PARAMETERS = ['stream_options', 'response_format', 'temperature', 'max_tokens'] as const;
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

/** Which of the model's own thoughts are sent back to it. */
export type ReasoningBack = 'tool-calls' | 'all' | 'never';

export interface ModelPreset {
  /** For people, Chinese. */
  title: string;
  baseUrl: string;
  /** The variable that the vendor's own tools read the key from; none for endpoints that want no key. */
  keyVariable?: string;
  /** The model when none is named; none where it is whatever the user has installed. */
  model?: string;
  /** Tools of the protocol; `server` where it depends on how the server was started. */
  tools: 'yes' | 'server';
  json: 'yes' | 'server';
  /** Thoughts in messages that called tools are wanted back in every later request, in every message, or not at all. */
  reasoning: ReasoningBack;
  /** The name of the field that thoughts are sent back in. */
  reasoningField: 'reasoning_content' | 'reasoning';
  /** Parameters that are known to be refused, or to have no effect. */
  omit: readonly OptionalParameter[];
  /** What users trip over, Chinese; '' where nothing is known. */
  note: string;
  source: string;
  /** When the source was read. */
  checked: string;
}

/** Where the windows of most models stand in one table, kept by a vendor. */
const LIMITS = 'https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/core/tokenLimits.ts';

export const MODEL_PRESETS = {
  deepseek: {
    title: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
    model: 'deepseek-v4-flash',
    tools: 'yes',
    json: 'yes',
    // "must be fully passed back to the API in all subsequent requests", else 400; an empty one too.
    reasoning: 'tool-calls',
    reasoningField: 'reasoning_content',
    omit: [],
    note: 'deepseek-chat 和 deepseek-reasoner 已于 2026-07-24 停用，改用 deepseek-v4-flash 或 deepseek-v4-pro',
    source: 'https://api-docs.deepseek.com/guides/thinking_mode',
    checked: '2026-12-01',
  },
  qwen: {
    title: '通义千问（百炼 DashScope）',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    keyVariable: 'DASHSCOPE_API_KEY',
    model: 'qwen3.8-max',
    tools: 'yes',
    json: 'yes',
    reasoning: 'tool-calls',
    reasoningField: 'reasoning_content',
    omit: [],
    note: '国际站的地址是 https://dashscope-intl.aliyuncs.com/compatible-mode/v1，密钥不通用',
    source:
      'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope；' +
      'https://www.alibabacloud.com/help/zh/model-studio/deep-thinking',
    checked: '2026-12-01',
  },
  glm: {
    title: '智谱 GLM',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    keyVariable: 'ZHIPUAI_API_KEY',
    model: 'glm-5.2',
    tools: 'yes',
    json: 'yes',
    reasoning: 'tool-calls',
    reasoningField: 'reasoning_content',
    // Not among the fields that the endpoint takes, a client library says; the vendor's own pages do not name it.
    omit: ['stream_options'],
    note: '',
    // "when you interleave thinking and tools, keep the reasoning content and return it with the tool's result".
    source:
      'https://docs.bigmodel.cn/cn/guide/capabilities/thinking-mode；' +
      'https://docs.bigmodel.cn/api-reference/模型-api/对话补全；stream_options：https://java.agentscope.io/v2/zh/integration/model/glm',
    checked: '2026-12-01',
  },
  kimi: {
    title: 'Kimi（月之暗面）',
    baseUrl: 'https://api.moonshot.cn/v1',
    keyVariable: 'MOONSHOT_API_KEY',
    model: 'kimi-k3',
    tools: 'yes',
    json: 'yes',
    // "include the complete assistant message from the previous turn", its thoughts too.
    reasoning: 'all',
    reasoningField: 'reasoning_content',
    // The vendor fixes the sampling of its thinking models.
    omit: ['temperature'],
    note: '国际站的地址是 https://api.moonshot.ai/v1，密钥不通用；Kimi Coding 的密钥也不能用在这里',
    source:
      'https://platform.kimi.com/docs/guide/use-kimi-k2-thinking-model；https://platform.kimi.com/docs/api/models-overview；' +
      '模型名：https://docs.oxen.ai/inference-api/reference/models/kimi-k3',
    checked: '2026-12-01',
  },
  doubao: {
    title: '豆包（火山方舟）',
    baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
    keyVariable: 'ARK_API_KEY',
    tools: 'yes',
    json: 'yes',
    reasoning: 'tool-calls',
    reasoningField: 'reasoning_content',
    omit: [],
    note: '模型名带日期（例如 doubao-seed-1-8-251228），或写推理接入点的 ep-…；先在控制台开通',
    source: 'https://docs.openclaw.ai/zh-CN/providers/volcengine；https://mastra.ai/models/providers/volcengine',
    checked: '2026-12-01',
  },
  openai: {
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    tools: 'yes',
    json: 'yes',
    // Chat completions give no thoughts out, and take none.
    reasoning: 'never',
    reasoningField: 'reasoning_content',
    omit: [],
    note: '',
    source: 'https://platform.openai.com/docs/api-reference/chat，见 https://promptfoo.dev/docs/providers/openai',
    checked: '2026-12-01',
  },
  ollama: {
    title: 'Ollama（本机）',
    baseUrl: 'http://localhost:11434/v1',
    tools: 'server',
    json: 'yes',
    reasoning: 'tool-calls',
    reasoningField: 'reasoning',
    omit: [],
    note: '显存不到 24 GB 时窗口默认只有 4k，超出的不报错、直接丢掉：用 OLLAMA_CONTEXT_LENGTH=64000 ollama serve 启动',
    source: 'https://github.com/ollama/ollama/blob/main/docs/context-length.mdx',
    checked: '2026-12-01',
  },
  vllm: {
    title: 'vLLM（自己部署）',
    baseUrl: 'http://localhost:8000/v1',
    tools: 'server',
    json: 'yes',
    reasoning: 'tool-calls',
    // `reasoning_content` was renamed.
    reasoningField: 'reasoning',
    omit: [],
    note: '工具调用要在启动时加 --enable-auto-tool-choice 和 --tool-call-parser',
    source:
      'https://docs.vllm.ai/en/latest/features/tool_calling/；https://docs.vllm.ai/en/stable/features/reasoning_outputs/',
    checked: '2026-12-01',
  },
} as const satisfies Record<string, ModelPreset>;

export type PresetName = keyof typeof MODEL_PRESETS;
export const PRESET_NAMES = Object.keys(MODEL_PRESETS) as [PresetName, ...PresetName[]];

/** Windows by model name, tokens; the first that matches. */
const WINDOWS: readonly { name: RegExp; tokens: number; source: string; checked: string }[] = [
  { name: /^deepseek-(v4|flash)/, tokens: 1_000_000, source: LIMITS, checked: '2026-12-01' },
  { name: /^deepseek/, tokens: 131_072, source: LIMITS, checked: '2026-12-01' },
  { name: /^qwen3\.\d/, tokens: 1_000_000, source: LIMITS, checked: '2026-12-01' },
  { name: /^qwen3-coder-(plus|flash)/, tokens: 1_000_000, source: LIMITS, checked: '2026-12-01' },
  { name: /^qwen3/, tokens: 262_144, source: LIMITS, checked: '2026-12-01' },
  { name: /^glm-5(\.[01])?(-|$)/, tokens: 202_752, source: LIMITS, checked: '2026-12-01' },
  { name: /^glm-5\.[2-9]/, tokens: 1_000_000, source: LIMITS, checked: '2026-12-01' },
  {
    name: /^glm-4\.[67]/,
    tokens: 202_752,
    source: 'https://www.alibabacloud.com/help/en/model-studio/glm',
    checked: '2026-12-01',
  },
  {
    name: /^kimi-k3/,
    tokens: 1_048_576,
    source: 'https://docs.together.ai/docs/kimi-k3-quickstart',
    checked: '2026-12-01',
  },
  { name: /^kimi-/, tokens: 262_144, source: LIMITS, checked: '2026-12-01' },
  {
    name: /^doubao-seed/,
    tokens: 256_000,
    source: 'https://docs.openclaw.ai/zh-CN/providers/volcengine',
    checked: '2026-12-01',
  },
  // What may be sent: 400,000 less the 128,000 of the reply.
  { name: /^gpt-5/, tokens: 272_000, source: LIMITS, checked: '2026-12-01' },
];

/** The window of a model in tokens, where it is known; a path before the name (`deepseek-ai/…`) does not matter. */
export function knownWindow(model: string): number | undefined {
  const name = model.toLowerCase().replace(/^.*\//, '');
  return WINDOWS.find((one) => one.name.test(name))?.tokens;
}

/** The vendor that an address belongs to, by its host; undefined for anybody else's, and for local servers, whose ports anyone may use. */
export function presetOf(baseUrl: string): PresetName | undefined {
  const host = hostOf(baseUrl);
  return PRESET_NAMES.find((name) => {
    const own = hostOf(MODEL_PRESETS[name].baseUrl);
    return own !== 'localhost' && own === host;
  });
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
}
