import type { CoreResult, Hit } from '../../zhcore/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore, reportProblems } from '../open.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

interface CoreOptions extends CommonOptions {
  symbol?: string[];
  module?: string;
  task: 'general' | 'refactor' | 'bugfix' | 'feature';
  max: number;
}

/** `xihe core`: query_zh_core, four lists. */
export async function core(intent: string, options: CoreOptions): Promise<number> {
  const { core: zh, layout } = await openCore(options.repo);
  const started = performance.now();
  const result = zh.query({
    userIntent: intent,
    codeSymbols: options.symbol ?? [],
    taskType: options.task,
    maxResults: options.max,
    force: true,
    ...(options.module ? { module: options.module } : {}),
  });
  const ms = performance.now() - started;
  reportProblems(zh.problems, options.json);
  const { QueryLog, recordOf, renderHits } = await import('../../zhcore/index.js');
  if (options.json)
    printJson({ ...toJson(result), problems: zh.problems.map(({ file, line, reason }) => ({ file, line, reason })) });
  else {
    print(renderHits(result, 'answer', { chunkChars: 400, topK: options.max }).text || '没有相关条目。');
  }
  new QueryLog(layout.stateDir).append(recordOf(result, { text: intent, ms }));
  return EXIT.done;
}

function origin(hit: Hit<unknown>) {
  const { source, layer, version, status, confidence } = hit.provenance;
  return { source, layer, version, status, confidence, why: hit.why };
}

function toJson(r: CoreResult) {
  return {
    data_version: r.dataVersion,
    gate: r.gate,
    terms: r.terms.map((h) => ({
      id: h.entry.id,
      keyword_ch: h.entry.keyword_ch,
      code_symbols: h.entry.code_symbols,
      ...(h.entry.module ? { module: h.entry.module } : {}),
      ...(h.entry.note ? { note: h.entry.note } : {}),
      ...origin(h),
    })),
    knowledge: r.knowledge.map((h) => ({
      id: h.entry.id,
      title: h.entry.title,
      heading: h.entry.heading,
      excerpt: h.entry.content,
      ...origin(h),
    })),
    playbooks: r.playbooks.map((h) => ({ id: h.entry.id, title: h.entry.title, steps: h.entry.steps, ...origin(h) })),
    warnings: r.warnings.map((h) => ({ id: h.entry.id, danger: h.entry.danger, ...origin(h) })),
  };
}
