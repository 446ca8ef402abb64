/** A knowledge document. */
export function document(front: Record<string, string>, body: string): string {
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${value}`);
  return `---\n${lines.join('\n')}\n---\n${body}`;
}

const FRONT = { title: '长文档', keywords: '[长文档]', summary: '一直变长' };

/** Documents that grow in one way each. */
export const GROWING: Record<string, (n: number) => string> = {
  headings: (n) =>
    document(FRONT, Array.from({ length: n }, (_, i) => `${'#'.repeat(1 + (i % 6))} 节${i}\n`).join('\n')),
  'headings of the same words': (n) => document(FRONT, '## 1. 同名\n\n正文。\n\n'.repeat(n)),
  'table rows': (n) => document(FRONT, `| a | b |\n| - | - |\n${'| 值，带逗号 | b |\n'.repeat(n)}`),
  'nested lists': (n) =>
    document(FRONT, Array.from({ length: 8 * Math.sqrt(n) }, (_, i) => `${' '.repeat(i)}- 条`).join('\n')),
  quotes: (n) => document(FRONT, `${'> '.repeat(n)}引用`),
  'fences that never close': (n) => document(FRONT, '```ts\n'.repeat(n)),
  'backticks in a line': (n) => document(FRONT, '``` a '.repeat(n)),
  'straight quotes': (n) => document(FRONT, '说"好。'.repeat(n)),
  'sections in the front matter': (n) =>
    document(
      { ...FRONT, sections: Array.from({ length: n / 4 }, (_, i) => `\n  节${i}: "## 第${i}节"`).join('') },
      '## 第3节\n\n甲。\n',
    ),
  keywords: (n) =>
    document({ ...FRONT, keywords: `[${Array.from({ length: n }, (_, i) => `词条${i}`).join(', ')}]` }, '正文。'),
  'a summary of one line': (n) => document({ ...FRONT, summary: '很长的摘要，'.repeat(n) }, '正文。'),
  'front matter that never ends': (n) => `---\n${'title: x\n'.repeat(n)}`,
  'brackets in the front matter': (n) => document({ ...FRONT, tags: '['.repeat(n) }, '正文。'),
  'blank lines before it': (n) => `${'\n'.repeat(n)}---\ntitle: x\n---\n`,
};
