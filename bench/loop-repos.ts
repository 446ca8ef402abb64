// The repositories of `bench:loop`: the example shop, and the same shop among 2,900 generated modules, as it would lie in a company's one repository.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyMall } from '../test/support/mall.js';

/** Modules around the shop: 58 services of 50 files. */
const SERVICES = 58;
const FILES = 50;
const PARTS = ['controller', 'service', 'repository', 'mapper', 'dto', 'events', 'client', 'config', 'job', 'types'];

/** A copy of the shop, alone. */
export function shopAlone(): string {
  return copyMall();
}

/** A copy of the shop with the modules around it. */
export function shopAmongOthers(): string {
  const dir = copyMall({ name: 'xihe-large-' });
  for (let s = 0; s < SERVICES; s++) {
    const service = `svc-${String(s).padStart(2, '0')}`;
    const folder = join(dir, 'services', service, 'src');
    mkdirSync(folder, { recursive: true });
    for (let i = 0; i < FILES; i++) {
      const part = PARTS[i % PARTS.length]!;
      const name = `${part}-${i}`;
      const symbol = `${part[0]!.toUpperCase()}${part.slice(1)}${s}x${i}`;
      const lines = Array.from(
        { length: 12 },
        (_, n) => `  step${n}(value: number): number {\n    return value + ${n};\n  }`,
      );
      writeFileSync(
        join(folder, `${name}.ts`),
        `/** 服务 ${s} 的第 ${i} 个${part} */\nexport class ${symbol} {\n${lines.join('\n')}\n}\n`,
      );
    }
  }
  return dir;
}
