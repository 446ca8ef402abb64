import { CHUNK_MAX, CHUNK_MIN, cutSection } from '../../../knowledge/index.js';
import type { Rule } from '../types.js';

const chunkLength: Rule = {
  id: 'XL401',
  name: 'chunk-length',
  level: 'warning',
  title: `知识片段不在 ${CHUNK_MIN}–${CHUNK_MAX} 字之间`,
  help: '太短的片段说不完一个结论，太长的费 token。短的并进相邻的小节或补全结论；长的按小节、段落分开写，一段话不要超过 800 字。代码块可以短；整篇只有一小段的文档只提示。',
  check: (model) =>
    model.layers.flatMap(({ documents, chunks }) => {
      const byId = new Map(documents.map((document) => [document.id, document]));
      const counts = new Map<string, number>();
      for (const { documentId, kind } of chunks)
        if (kind === 'prose') counts.set(documentId, (counts.get(documentId) ?? 0) + 1);
      return chunks.flatMap((chunk) => {
        const entry = byId.get(chunk.documentId);
        const { length } = chunk.content;
        const short = length < CHUNK_MIN && chunk.kind === 'prose';
        if (entry === undefined || (!short && length <= CHUNK_MAX)) return [];
        // A short document that says all there is to say is none the worse for it.
        if (short && counts.get(chunk.documentId) === 1) {
          const whole = `全文 ${length} 字，比一般的片段（${CHUNK_MIN} 字起）短：话说完了就不用管，没说完就补全结论`;
          return [model.at(chunkLength, entry, whole, { line: chunk.line, level: 'note' })];
        }
        const advice = short ? '并进相邻的小节，或补全结论' : '按小节或段落分开写';
        const where = chunk.heading === '' ? '' : `「${chunk.heading}」`;
        const message = `${where}这一段 ${length} 字，${short ? `不到 ${CHUNK_MIN}` : `超过 ${CHUNK_MAX}`}：${advice}`;
        return [model.at(chunkLength, entry, message, { line: chunk.line })];
      });
    }),
};

const missingSection: Rule = {
  id: 'XL402',
  name: 'section-not-in-body',
  level: 'error',
  title: 'sections 里的标题在正文里没有',
  help: '按章节查询时这一节取不出来。sections 的值要和正文里的标题行一样，或者删掉这一项。',
  check: (model) =>
    model.layers
      .flatMap(({ documents }) => documents)
      .flatMap((entry) =>
        Object.entries(entry.entry.sections)
          .filter(([name]) => cutSection(entry.entry, name) === undefined)
          .map(([name, heading]) =>
            model.at(missingSection, entry, `正文里没有「${heading}」这个标题，章节 ${name} 取不出来`, { near: name }),
          ),
      ),
};

const emptyDocument: Rule = {
  id: 'XL403',
  name: 'empty-document',
  level: 'warning',
  title: '知识文档没有正文',
  help: '没有正文就没有可以注入的片段。写上结论，或者删掉这个文件。',
  check: (model) =>
    model.layers
      .flatMap(({ documents }) => documents)
      .filter(({ entry }) => entry.body.trim() === '')
      .map((entry) => model.at(emptyDocument, entry, '没有正文：写上结论，或删掉这个文件')),
};

export const documentRules: readonly Rule[] = [chunkLength, missingSection, emptyDocument];
