import { openLayout } from '../../layout.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

/** `xihe undo`: takes an applied changeset back, byte for byte. */
export async function undoCommand(receipt: string | undefined, options: CommonOptions): Promise<number> {
  const layout = openLayout(options.repo);
  const { AuditLog, undo } = await import('../../sandbox/index.js');
  const started = Date.now();
  const done = await undo(layout.stateDir, layout.root, receipt);
  const files = done.files.map((f) => f.path);
  new AuditLog(layout.stateDir).append({
    at: new Date().toISOString(),
    who: 'local',
    what: 'changeset.undo',
    args: { receipt: done.id, files },
    result: 'ok',
    durationMs: Date.now() - started,
  });
  if (options.json) printJson({ receipt: done.id, files });
  else print(`已撤销 ${done.id}，恢复 ${files.length} 个文件：\n${files.map((f) => `- ${f}`).join('\n')}`);
  return EXIT.done;
}
