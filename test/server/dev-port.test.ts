import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';

let other: Server | undefined;
afterEach(() => {
  other?.close();
});

const dev = (...args: string[]) =>
  spawnSync(process.execPath, [join(packageRoot(), 'scripts/dev.mjs'), ...args], { encoding: 'utf8', timeout: 60_000 });

describe('npm run dev', () => {
  it('says what to do when its port is taken, and ends', async () => {
    const port = await new Promise<number>((resolve) => {
      other = createServer().listen(0, 'localhost', () => resolve((other!.address() as { port: number }).port));
    });
    for (const args of [['--port', String(port)], [`--port=${port}`], ['-p', String(port)]]) {
      const { status, stderr } = dev(...args);
      expect(status).toBe(1);
      expect(stderr).toContain(`端口 ${port} 已被占用`);
      expect(stderr).toContain('npm run dev -- --port ');
      expect(stderr).not.toMatch(/EADDRINUSE|\n\s+at /);
    }
  });

  it('refuses what is no port', () => {
    const { status, stderr } = dev('--port', 'many');
    expect(status).toBe(1);
    expect(stderr).toContain('端口「many」不是 1 到 65535 之间的整数');
  });
});
