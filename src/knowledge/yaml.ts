import { parseYaml, type YamlFault, type YamlFile } from '../yaml.js';
import { readPlainYaml } from './plainYaml.js';

export type { YamlFault, YamlFile } from '../yaml.js';

/**
 * Reads YAML without ever throwing. Every scalar is a string (failsafe schema): the schemas of each file kind say what is a number.
 *
 * @param text the YAML, without BOM
 * @param firstLine the 1-based line of its first line in the file (2 for front matter)
 */
export function readYaml(text: string, firstLine = 1): YamlFile | YamlFault {
  const plain = readPlainYaml(text);
  if (plain === undefined) return parseYaml(text, 'failsafe', firstLine);
  let exact: YamlFile | YamlFault | undefined;
  return {
    ok: true,
    value: plain.value,
    lineOf(path) {
      const [top] = path;
      if (path.length === 0) return firstLine;
      if (path.length === 1 && typeof top === 'number') return firstLine + (plain.itemLines[top] ?? 0);
      // Asked only to report a problem, so the slow, exact reader may run now.
      exact ??= parseYaml(text, 'failsafe', firstLine);
      return exact.ok ? exact.lineOf(path) : exact.line;
    },
  };
}
