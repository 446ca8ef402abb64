import { lstatSync } from 'node:fs';
import { XiheError } from './errors.js';
import { LEADS_OUT, leadsOut } from './inside.js';
import { readStateFile } from './stateFile.js';
import { parseYaml, type YamlFile } from './yaml.js';

/** A fault of a `config.yaml`, with the line where it stands. */
export function faultAt(file: string, line: number, reason: string, hint: string, details = {}): XiheError {
  return new XiheError('CONFIG_INVALID', `配置有误：${file}:${line}：${reason}`, {
    hint,
    details: { file, line, ...details },
  });
}

/** A `config.yaml` as it was read; its settings are not checked. */
export interface ConfigFile {
  /** Absolute. */
  file: string;
  value: Record<string, unknown>;
  lineOf: YamlFile['lineOf'];
}

/**
 * Reads one `config.yaml`.
 *
 * @param file absolute
 * @param root what no link may lead out of; undefined for the user's own file
 * @returns undefined when it is not there
 * @throws XiheError CONFIG_INVALID with file, line and reason
 */
export function readConfigFile(file: string, root?: string): ConfigFile | undefined {
  if (!isThere(file)) return undefined;
  if (root !== undefined && leadsOut(root, file)) throw faultAt(file, 1, LEADS_OUT, '把链接换成文件，或删掉它。');
  const bytes = readStateFile(file);
  if (bytes === undefined) throw faultAt(file, 1, '读不了：不是普通文件，或没有读权限', '换成普通文件，或删掉它。');
  const read = parseYaml(bytes.toString('utf8').replace(/^\uFEFF/, ''), 'core');
  if (!read.ok)
    throw faultAt(file, read.line, read.reason, '改好这一行再运行；不确定时把文件改名，xihe init 会写一份新的。');
  const value = read.value ?? {};
  if (typeof value === 'object' && !Array.isArray(value))
    return { file, value: value as Record<string, unknown>, lineOf: read.lineOf };
  throw faultAt(file, 1, '顶层应当是「键: 值」', '参照 xihe init 生成的 config.yaml。');
}

function isThere(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch {
    return false;
  }
}
