/**
 * `node --import tsx test/support/model-server-cli.ts --scenario FILE [--port 0]`
 *
 * FILE is a module whose default export is a Scenario, or the same as JSON. Prints the base URL as its first line.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Scenario, startModelServer } from './model-server.js';

const { values } = parseArgs({ options: { scenario: { type: 'string' }, port: { type: 'string', default: '0' } } });
if (values.scenario === undefined) {
  process.stderr.write('usage: model-server-cli.ts --scenario FILE [--port N]\n');
  process.exit(2);
}
const server = await startModelServer(await loadScenario(resolve(values.scenario)), Number(values.port));
process.stdout.write(`${server.baseUrl}\n`);

async function loadScenario(file: string): Promise<Scenario> {
  if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8')) as Scenario;
  return ((await import(pathToFileURL(file).href)) as { default: Scenario }).default;
}
