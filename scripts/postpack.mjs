// After `npm pack`: the copy of the lock file goes, so that the checkout has one lock only.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ensure.mjs';

rmSync(join(root, 'npm-shrinkwrap.json'), { force: true });
