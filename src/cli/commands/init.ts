import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assetPath } from '../../assets.js';
import { errnoOf, XiheError } from '../../errors.js';
import { openLayout } from '../../layout.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

/** `xihe init`: writes a commented `.xihe/`; files that are there stay as they are. */
export async function init(options: CommonOptions): Promise<number> {
  const { layerDir } = openLayout(options.repo);
  const source = assetPath('templates', 'init');
  const created: string[] = [];
  const kept: string[] = [];
  for (const name of readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath, e.name).slice(source.length + 1))
    .sort()) {
    // npm leaves `.gitignore` out of packages, so the template goes without its dot.
    const target = name === 'gitignore' ? '.gitignore' : name;
    const shown = join('.xihe', target);
    if (existsSync(join(layerDir, target))) kept.push(shown);
    else {
      write(join(source, name), join(layerDir, target));
      created.push(shown);
    }
  }
  if (options.json) printJson({ created, kept });
  else {
    if (created.length > 0) print(`已创建：\n${created.map((f) => `- ${f}`).join('\n')}`);
    if (kept.length > 0) print(`已有，没有动：\n${kept.map((f) => `- ${f}`).join('\n')}`);
    print(
      `\n接下来：
1. 运行 xihe scan，从代码里找出团队的中文叫法；看着对就加 --write 写成候选。
2. 有现成的术语表或文档，用 xihe import <文件> 导入；没有的词写进 .xihe/knowledge/terms/。
3. 运行 xihe lint 检查，再用 xihe core "…" 看效果。`,
    );
  }
  return EXIT.done;
}

function write(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  } catch (cause) {
    throw new XiheError('STATE_UNWRITABLE', `写不进 ${to}（${errnoOf(cause) ?? '未知原因'}）`, {
      hint: '给项目目录写权限再试。',
      cause,
    });
  }
}
