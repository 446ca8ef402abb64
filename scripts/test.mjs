// `npm test`: installs what is missing, then runs every test. Extra arguments go to vitest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, root } from './ensure.mjs';

checkNode();
ensureInstalled();
ensureBuilt();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const done = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.exit(done.status ?? 1);
