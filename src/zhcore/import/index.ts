/** Import: what other tools hold (term tables, skills, documents) as entries of a project's layer. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { XiheError } from '../../errors.js';
import { detect } from './detect.js';
import { isModuleName, MODULE_NAME_RULE } from './rawTerm.js';
import { openSource } from './source.js';
import { type ImportOptions, type ImportPlan, Notes } from './types.js';

export { FIELD_NAMES, FIELDS } from './headers.js';
export type {
  Guessed,
  ImportKind,
  ImportOptions,
  ImportPlan,
  LeftOut,
  PlannedFile,
  Remark,
  TableColumns,
} from './types.js';
export { writeImport } from './write.js';

/**
 * Reads a source and says what importing it would write, what it leaves out and why, and what it had to guess. Writes nothing.
 *
 * @param source a path, relative to the current folder or to the project; it may lie outside the project
 * @throws XiheError USAGE (no name of a module), PATH_NOT_FOUND, PATH_INVALID, ENTRY_INVALID (nothing that can be imported), FILE_TOO_LARGE, CANCELLED, and what
 *   reading a text throws
 */
export async function planImport(source: string, options: ImportOptions): Promise<ImportPlan> {
  if (options.module !== undefined && !isModuleName(options.module)) {
    throw new XiheError('USAGE', `模块名${MODULE_NAME_RULE}：${options.module}`, {
      hint: '用 .xihe/modules.yaml 里的模块名，如 --module order。',
    });
  }
  const notes = new Notes();
  const given = openSource(source, options.root, notes);
  const { kind, files } = detect(given, options.as, notes);
  if (kind === 'playbooks' && !given.isFolder && existsSync(join(dirname(given.abs), 'references')))
    notes.drop(
      files[0]?.name ?? given.stem,
      '只给了 SKILL.md，旁边 references/ 里的参考资料没有带上：改为导入它所在的目录',
    );
  const what = { terms: '正在读表', playbooks: '正在读技能', knowledge: '正在读文档' }[kind];
  const tick = async (done: number, total: number): Promise<void> => {
    // Lets Ctrl-C through.
    await setImmediate();
    if (options.signal?.aborted)
      throw new XiheError('CANCELLED', '已停止，什么都没写', { hint: '再运行一次就从头开始。' });
    options.onProgress?.({ done, total, what });
  };
  const plan = async () => {
    if (kind === 'terms') return (await import('./terms.js')).planTerms(files, options, notes, tick);
    if (kind === 'playbooks')
      return (await import('./skills.js')).planPlaybooks(files, given.files, options, notes, tick);
    return (await import('./knowledge.js')).planKnowledge(files, given.stem, options, notes, tick);
  };
  const { leftOut, guessed, columns, remarks } = notes;
  return { kind, files: await plan(), leftOut, guessed, columns, remarks };
}
