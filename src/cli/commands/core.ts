import pc from 'picocolors';
import { loadConfig } from '../../config.js';
import { EXIT } from '../exit-codes.js';
import { openCore, reportProblems, tellWithoutState } from '../open.js';
import { degradedText, log, print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface CoreOptions extends CommonOptions {
  symbol?: string[];
  module?: string;
  task: 'general' | 'refactor' | 'bugfix' | 'feature';
  max?: number;
}

/** Characters of a passage on a terminal: the whole of it is one `xihe lookup` away. */
const SHOWN_CHARS = 400;

/** `xihe core`: query_zh_core, four lists. */
export async function core(intent: string, options: CoreOptions): Promise<number> {
  const { core: zh, layout } = await openCore(options.repo, { quiet: true, vectors: true });
  tellWithoutState(layout);
  // The model loads in a thread of its own meanwhile.
  zh.vectors?.warm();
  const budget = loadConfig(layout.layerDir).core;
  const max = options.max ?? budget.topK;
  const started = performance.now();
  const result = await zh.ask({
    userIntent: intent,
    codeSymbols: options.symbol ?? [],
    taskType: options.task,
    maxResults: max,
    force: true,
    ...(options.module ? { module: options.module } : {}),
  });
  const ms = performance.now() - started;
  reportProblems(zh.problems, options.json);
  const { ALL_PARTS, QueryLog, recordOf, renderHits } = await import('../../zhcore/index.js');
  if (options.json) {
    const { queryAnswerOf } = await import('../../server/answers.js');
    const problems = zh.problems.map(({ file, line, reason }) => ({ file, line, reason }));
    printJson({ ...queryAnswerOf(result), problems });
  } else {
    const limits = { chunkChars: Math.min(SHOWN_CHARS, budget.chunkChars), topK: max, parts: ALL_PARTS };
    print(
      visible(renderHits(result, 'answer', limits).text) || '没有相关条目。换个说法再查，或用 xihe lookup 查知识库。',
    );
  }
  if (!options.json && result.degraded !== undefined) log(pc.yellow(degradedText(result.degraded)));
  new QueryLog(layout.stateDir).append(recordOf(result, { text: intent, ms }));
  await zh.close();
  return EXIT.done;
}
