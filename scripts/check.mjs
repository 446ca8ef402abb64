// `npm run check`: types, format and rules of style, rules of the rooms, all at once, each with its output in one piece.
import { spawn } from 'node:child_process';
import { root } from './ensure.mjs';

const CHECKS = ['check:types', 'check:lint', 'check:rooms'];

/** Runs an npm script. @returns whether it passed; what it printed is printed when it ends */
function check(name) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '-s', name], { cwd: root, shell: process.platform === 'win32' });
    const parts = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => parts.push(bytes));
    child.on('error', (e) => parts.push(Buffer.from(`${e.message}\n`)));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(parts));
      if (code !== 0) console.error(`没有通过：npm run ${name}`);
      resolve(code === 0);
    });
  });
}

const passed = await Promise.all(CHECKS.map(check));
process.exitCode = passed.every(Boolean) ? 0 : 1;
