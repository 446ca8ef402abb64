// The Milvus SDK in one file for users (1.2 MB; as packages it is 72 MB, 44 of them for Parquet files, which nothing here
// writes), with the licences of all that is in it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const USED = ['MilvusClient', 'DataType', 'FunctionType', 'ConsistencyLevelEnum', 'logger'];

/** The bulk writer's format, with an S3 client and a BSON library behind it. */
const LEFT_OUT = '@shanghaikid/parquetjs';

/**
 * @param root of the repository
 * @param out folder for `sdk.mjs` and `LICENSE.txt`
 */
export async function vendorMilvus(root, out) {
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: `export { ${USED.join(', ')} } from '@zilliz/milvus2-sdk-node';`, resolveDir: root },
    outfile: join(out, 'sdk.mjs'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    plugins: [
      {
        name: 'leave-out',
        setup(b) {
          b.onResolve({ filter: new RegExp(`^${LEFT_OUT}$`) }, ({ path }) => ({ path, namespace: 'left-out' }));
          b.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
        },
      },
    ],
    banner: {
      js: "import { createRequire as __xiheRequire } from 'node:module'; const require = __xiheRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'LICENSE.txt'), licences(root, Object.keys(metafile.inputs)));
}

/** The licence of every package that a file comes from. */
function licences(root, files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map((folder) => licenceOf(join(root, folder)))
    .join(`\n${'-'.repeat(100)}\n\n`);
}

function licenceOf(folder) {
  const {
    name,
    version,
    license,
    author,
    homepage = '',
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  // A few packages name their licence and bring no text.
  if (texts.length === 0) texts.push(`${license}. ${typeof author === 'string' ? author : (author?.name ?? '')}`);
  return `${name} ${version} (${license}) ${homepage}\n\n${texts.join('\n\n')}\n`;
}
