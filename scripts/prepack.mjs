// Before `npm pack`: a fresh build, type declarations, and the lock file under the name that npm honours in packages, so
// that users get the versions that were tested (`overrides` do not reach them).
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './ensure.mjs';

run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']);
copyFileSync(join(root, 'package-lock.json'), join(root, 'npm-shrinkwrap.json'));
const lock = JSON.parse(readFileSync(join(root, 'npm-shrinkwrap.json'), 'utf8'));
// Packages that only development needs stay out of what users install.
for (const [path, entry] of Object.entries(lock.packages)) if (entry.dev) delete lock.packages[path];
delete lock.packages[''].devDependencies;
writeFileSync(join(root, 'npm-shrinkwrap.json'), `${JSON.stringify(lock, null, 2)}\n`);
