import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/assets.js';
import { CLIENTS, setupOf, writeSetup } from '../../../src/server/mcp/clients.js';
import { loadMcpServers } from '../../../src/tools/mcp/config.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'xihe-clients-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

describe('set-ups of clients', () => {
  it.each(CLIENTS)('%s: the command of this installation, with an official page', (client) => {
    const { config, page } = setupOf(client, root);
    const [section] = Object.values(config) as [{ xihe: { command: string; args: string[] } }];
    expect(section.xihe.command).toBe(process.execPath);
    expect(section.xihe.args.slice(0, 2)).toEqual([join(packageRoot(), 'bin', 'xihe'), 'mcp']);
    expect(page).toMatch(/^https:\/\//);
    expect(readFileSync(join(packageRoot(), 'docs', 'mcp.md'), 'utf8')).toContain(page);
    expect(readdirSync(root)).toEqual([]);
  });

  it('are written beside what is there, once, in the file’s own style', () => {
    mkdirSync(join(root, '.vscode'));
    writeFileSync(
      join(root, '.vscode', 'mcp.json'),
      '{\n\t"inputs": [],\n\t"servers": { "other": { "command": "x" } }\n}',
    );
    expect(writeSetup(setupOf('vscode', root)).outcome).toBe('added');
    expect(read('.vscode/mcp.json')).toMatchObject({
      inputs: [],
      servers: {
        other: { command: 'x' },
        xihe: { type: 'stdio', args: expect.arrayContaining(['${workspaceFolder}']) },
      },
    });
    expect(readFileSync(join(root, '.vscode', 'mcp.json'), 'utf8')).toContain('\n\t"servers"');
    expect(writeSetup(setupOf('vscode', root)).outcome).toBe('unchanged');
    expect(writeSetup(setupOf('claude', root)).outcome).toBe('created');
    expect(writeSetup(setupOf('qwen', root)).outcome).toBe('unchanged');
    expect(writeSetup(setupOf('cursor', root)).outcome).toBe('created');
    expect(read('.cursor/mcp.json').mcpServers.xihe.args).toContain('mcp');
    writeFileSync(join(root, '.mcp.json'), '{"mcpServers":{"xihe":{"command":"old"},"b":{"url":"https://b"}}}');
    expect(writeSetup(setupOf('claude', root)).outcome).toBe('replaced');
    expect(read('.mcp.json').mcpServers.b).toEqual({ url: 'https://b' });
    // Our own entry in that file is for others: it is no tool of ours.
    const { servers, problems } = loadMcpServers(root, join(root, '.xihe'), { XDG_CONFIG_HOME: root });
    expect([servers.map(({ name }) => name), problems]).toEqual([['b'], []]);
  });

  it('are not written where that would lose something', () => {
    const commented = '{ // mine\n "mcpServers": {} }';
    writeFileSync(join(root, '.mcp.json'), commented);
    expect(() => writeSetup(setupOf('claude', root))).toThrow('不敢改写');
    expect(readFileSync(join(root, '.mcp.json'), 'utf8')).toBe(commented);
    expect(() => writeSetup(setupOf('cline', root))).toThrow('不在项目里');
    expect(readdirSync(root)).toEqual(['.mcp.json']);
  });
});
