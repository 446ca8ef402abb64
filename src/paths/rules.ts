/**
 * What a listing leaves out, and what is listed by name but not read.
 *
 * The lists hold what tools generate or download in the projects that Xihe's users have: npm, Maven, Gradle, Go, Python,
 * PHP, uni-app and mini-programs. `.gitignore` usually says the same; these lists make it true without one.
 */
import { holdsSecretValues, isKeyFileName } from '../text/index.js';

/** Files of a listing at most; a larger tree is cut with a note. 100,000 paths take about 15 MB and half a second to stat. */
export const MAX_FILES = 100_000;
/** Files above this size are listed but not read: generated code, data, bundles. In bytes. */
export const MAX_INDEXED_BYTES = 512 * 1024;
/** JSON above this size that is no locale file is data. In bytes. */
const MAX_DATA_BYTES = 64 * 1024;
/** A line this long on average means minified code. In characters. */
export const MINIFIED_LINE_CHARS = 500;

/** Never entered, wherever they are. */
const NEVER = new Set([
  ...['node_modules', 'bower_components', 'jspm_packages', 'miniprogram_npm', 'uni_modules_cache', 'unpackage'],
  ...['.git', '.hg', '.svn', '.venv', 'venv', '__pycache__', '.mypy_cache', '.pytest_cache', '.tox', 'site-packages'],
  ...[
    '.gradle',
    '.mvn',
    '.idea',
    '.next',
    '.nuxt',
    '.output',
    '.turbo',
    '.cache',
    '.parcel-cache',
    '.langgraph_api',
    '.nyc_output',
    '.terraform',
  ],
]);
/** Build output, unless it lies under `src/`: there `target` or `dist` is the name of a package. */
const OUTPUT = new Set(['dist', 'target', 'vendor', 'vendors', 'coverage', 'htmlcov']);
/** Also build output, but often a tracked source folder (`build/webpack.config.js`): left out only where git does not speak. */
const OUTPUT_WITHOUT_GIT = new Set(['build', 'out', 'bin', 'obj', 'release', 'tmp', 'logs']);

const MINIFIED = /(?:[.-]min\.(?:js|css|mjs)|\.bundle\.js|\.chunk\.(?:js|css)|\.map)$/i;
const LOCK =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|composer\.lock|Gemfile\.lock|poetry\.lock|Pipfile\.lock|uv\.lock|Cargo\.lock|go\.sum|packages\.lock\.json)$/i;
const BINARY = new Set(
  (
    'png jpg jpeg gif bmp webp ico svg icns tif tiff psd ai sketch fig mp3 mp4 mov avi wav ogg webm flv zip gz tgz bz2 xz 7z rar tar jar war ear class so dll dylib exe a o obj lib ' +
    'pdf doc docx xls xlsx ppt pptx wps et odt ttf otf woff woff2 eot db sqlite sqlite3 mdb bin dat pyc pyo wasm node pem crt cer p12 pfx jks keystore der apk ipa aab ' +
    'parquet avro npy npz pkl onnx pt safetensors csv tsv log lockb snap'
  ).split(' '),
);
/**
 * Tells whether a folder stays out of every listing.
 *
 * @param path POSIX, relative to the root
 * @param byGit true where git listed the files and its ignore rules have spoken already
 */
export function isSkippedFolder(path: string, byGit: boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (NEVER.has(name)) return true;
  if (path === '.xihe/state') return true;
  const output = OUTPUT.has(name) || (!byGit && OUTPUT_WITHOUT_GIT.has(name));
  return output && !/(?:^|\/)src\//.test(path);
}

/** Tells whether a listed file is read at all: its words, symbols and imports. */
export function isReadable(path: string, size: number): boolean {
  if (size > MAX_INDEXED_BYTES || size === 0) return false;
  // The team's own layer answers through zhcore; as "files" its Chinese words would win over the code that they explain.
  if (isTeamLayer(path)) return false;
  const name = baseOf(path);
  if (isLockFile(path) || MINIFIED.test(name)) return false;
  // Keys and passwords are never read into an index, a summary or a search result.
  if (holdsSecretValues(path) || isKeyFileName(path)) return false;
  const extension = extensionOf(path);
  if (BINARY.has(extension)) return false;
  return extension !== 'json' || size <= MAX_DATA_BYTES || /zh|cn|lang|locale|i18n/i.test(path);
}

/** Tells whether a file pins versions: thousands of lines that nobody wrote. */
export function isLockFile(path: string): boolean {
  return LOCK.test(baseOf(path));
}

/** Extension in lower case without its dot, `''` when there is none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

/** The folder of a path, `''` for the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** All folders on the way to these files, without the root. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = folderOf(path); folder !== '' && !folders.has(folder); folder = folderOf(folder))
      folders.add(folder);
  return folders;
}

/** The last segment of a path. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The last segment without its extension. */
export function stemOf(path: string): string {
  const base = baseOf(path);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(0, dot) : base;
}

/** Tells whether a path lies in a team's own layer, that of this project or of one inside of it. */
export function isTeamLayer(path: string): boolean {
  return /(?:^|\/)\.xihe\//.test(path);
}
