import { baseOf, extensionOf, folderOf } from './rules.js';

/** What part a file plays, read off its path alone. The skeleton shows it in brackets. */
export type Role =
  | ''
  | 'test'
  | 'mock'
  | 'i18n'
  | 'doc'
  | 'style'
  | 'asset'
  | 'ci'
  | 'config'
  | 'sql'
  | 'mapper'
  | 'controller'
  | 'service'
  | 'data-layer'
  | 'page'
  | 'layout'
  | 'ui'
  | 'route'
  | 'store'
  | 'hook'
  | 'middleware'
  | 'job'
  | 'model'
  | 'types'
  | 'helper'
  | 'entry'
  | 'script'
  | 'example';

const TEST_NAME =
  /(?:[._-](?:test|spec|e2e)\.[\w.]+$)|(?:^test_.+\.py$)|(?:_test\.(?:go|py|rb|exs?|cc|cpp)$)|(?:(?:Test|Tests|IT|TestCase|Spec)\.(?:java|kt|php|cs|scala|groovy)$)/;
const STYLE_EXTENSIONS = new Set(['css', 'scss', 'sass', 'less', 'styl', 'wxss', 'acss']);
const DOC_EXTENSIONS = new Set(['md', 'mdx', 'rst', 'adoc', 'txt']);
const ASSET_EXTENSIONS = new Set(
  'png jpg jpeg gif bmp webp ico svg icns mp3 mp4 webm ttf otf woff woff2 eot pdf doc docx xls xlsx ppt pptx csv zip jar'.split(
    ' ',
  ),
);
const CONFIG_EXTENSIONS = new Set([
  'json',
  'json5',
  'jsonc',
  'yml',
  'yaml',
  'toml',
  'ini',
  'conf',
  'cfg',
  'properties',
  'env',
  'gradle',
  'lock',
  'plist',
  'editorconfig',
]);
const CONFIG_NAME =
  /^(?:\..+|Dockerfile.*|Makefile|CMakeLists\.txt|pom\.xml|.+\.config\.[cm]?[jt]s|requirements.*\.txt|go\.mod|Jenkinsfile|Procfile)$/;
const ENTRY_NAME = /^(?:main|app|application|server|index)\.[\w]+$|Application\.(?:java|kt)$/i;

/** The same paths are asked about by map, ranking and companions. */
const memo = new Map<string, Role>();
const MAX_MEMO = 200_000;

/** Folder names that say the role of everything below, nearest folder first. */
const BY_FOLDER: ReadonlyArray<readonly [Role, ReadonlySet<string>]> = [
  ['mapper', names('mapper mappers dao daos repository repositories mybatis')],
  ['controller', names('controller controllers handler handlers endpoint endpoints action actions resource rest')],
  ['service', names('service services biz usecase usecases domainservice logic')],
  ['data-layer', names('api apis request requests client clients rpc gateway gateways')],
  ['page', names('page pages views view screens screen')],
  ['layout', names('layout layouts')],
  ['ui', names('component components widgets widget ui')],
  ['route', names('router routers routes route')],
  ['store', names('store stores redux vuex pinia state')],
  ['hook', names('hooks composables hook')],
  ['middleware', names('middleware middlewares interceptor interceptors filter filters guard guards aspect')],
  ['job', names('job jobs task tasks cron schedule scheduler quartz worker workers queue')],
  ['model', names('entity entities model models domain dto vo po bo pojo schema schemas')],
  ['types', names('types typings interfaces enums')],
  ['helper', names('util utils helper helpers common lib shared tools')],
  ['config', names('config configs configuration conf settings')],
  ['script', names('scripts script bin deploy docker')],
];

/** Endings of a file's stem that say its role, whatever folder it lies in. */
const BY_STEM: ReadonlyArray<readonly [Role, RegExp]> = [
  ['mapper', /(?:Mapper|Dao|DAO|Repository|Repo)$|[._-](?:mapper|dao|repository|repo)$/],
  ['controller', /(?:Controller|Handler|Endpoint|Resource)$|[._-](?:controller|handler)$|^controller$/],
  ['service', /(?:Service|ServiceImpl|Manager)$|[._-](?:service|services)$|^service$/],
  ['data-layer', /(?:Api|Client|Gateway)$|[._-](?:api|client|gateway)$|^api$/],
  ['layout', /Layout$/],
  ['page', /(?:Page|View|Screen)$|[._-](?:page|view)$/],
  ['route', /^(?:router|routes|urls|menu|menus)$|[._-](?:routes?|router)$/i],
  ['store', /(?:Store)$|[._-](?:store|slice|reducer)$/],
  ['middleware', /(?:Middleware|Interceptor|Filter|Guard)$|[._-](?:middleware|guard|interceptor)$/],
  ['job', /(?:Job|Task|Scheduler|Worker|Cron)$|[._-](?:job|task|worker|cron)$/],
  ['hook', /^use[A-Z]/],
  ['model', /(?:Entity|Model|DTO|Dto|VO|Vo|PO|BO)$|[._-](?:entity|model|dto|schema)$/],
  ['types', /^types?$|[._-]types?$|\.d$/],
  ['config', /(?:Config|Configuration|Properties)$|[._-]config$|^config$|^settings$/],
  ['helper', /(?:Utils?|Helper|Tools?)$|[._-](?:utils?|helper)$|^utils?$/],
];

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/**
 * The role of a file by its path.
 *
 * @param path POSIX, relative to the root
 * @returns `''` where nothing says more than "source file"
 */
export function roleOf(path: string): Role {
  let role = memo.get(path);
  if (role === undefined) {
    role = readRole(path);
    if (memo.size > MAX_MEMO) memo.clear();
    memo.set(path, role);
  }
  return role;
}

function readRole(path: string): Role {
  const base = baseOf(path);
  const folders = folderOf(path).split('/').filter(Boolean);
  const extension = extensionOf(path);
  return byKind(base, folders, extension) ?? bySource(base, folders, extension);
}

function byKind(base: string, folders: string[], extension: string): Role | undefined {
  const lower = folders.map((folder) => folder.toLowerCase());
  if (TEST_NAME.test(base) || lower.some((folder) => /^(?:tests?|__tests__|specs?|e2e|testing)$/.test(folder)))
    return 'test';
  if (lower.some((folder) => /^(?:mocks?|__mocks__|fixtures?|__fixtures__)$/.test(folder))) return 'mock';
  if (isInterfaceTexts(path(folders, base))) return 'i18n';
  if (STYLE_EXTENSIONS.has(extension)) return 'style';
  if (ASSET_EXTENSIONS.has(extension)) return 'asset';
  if (lower[0] === '.github' || lower[0] === '.gitlab' || lower[0] === '.circleci' || base === '.gitlab-ci.yml')
    return 'ci';
  if (CONFIG_NAME.test(base)) return 'config';
  if (DOC_EXTENSIONS.has(extension) || /^(?:LICENSE|README|CHANGELOG|NOTICE)/i.test(base)) return 'doc';
  if (extension === 'sql') return 'sql';
  if (
    extension === 'xml' &&
    (/Mapper\.xml$/i.test(base) ||
      lower.some((folder) => folder === 'mapper' || folder === 'mappers' || folder === 'mybatis'))
  )
    return 'mapper';
  if (CONFIG_EXTENSIONS.has(extension)) return 'config';
  if (lower.some((folder) => /^(?:examples?|samples?|demos?)$/.test(folder))) return 'example';
  if (extension === 'sh' || extension === 'bat' || extension === 'ps1') return 'script';
  return undefined;
}

function bySource(base: string, folders: string[], extension: string): Role {
  const dot = base.lastIndexOf('.');
  const stem = dot > 0 ? base.slice(0, dot) : base;
  const named = BY_STEM.find(([, pattern]) => pattern.test(stem))?.[0];
  if (named) return named;
  for (let i = folders.length - 1; i >= 0; i--) {
    const folder = folders[i]!.toLowerCase();
    const role = BY_FOLDER.find(([, set]) => set.has(folder))?.[0];
    if (role) return role;
  }
  if (ENTRY_NAME.test(base) && folders.length <= 2) return 'entry';
  return extension === 'vue' || extension === 'nvue' || extension === 'wxml' ? 'page' : '';
}

function path(folders: string[], base: string): string {
  return folders.length === 0 ? base : `${folders.join('/')}/${base}`;
}

const LOCALE_FOLDER = /(?:^|\/)(?:i18n|locales?|lang|langs|language|languages|messages|translations?|l10n)\//i;
const LOCALE_NAME =
  /(?:^|[/._-])(?:zh|en|ja|ko|fr|de|es|ru|pt)(?:[_-]?(?:cn|tw|hk|hans|hant|us|gb|jp|kr|br))?\.(?:json|json5|ya?ml|properties|[cm]?[jt]s|po|php)$/i;
const LOCALE_EXTENSION = /\.(?:json|json5|ya?ml|properties|[cm]?[jt]s|po|php)$/i;
const LOCALE_SEGMENT = /(?:^|\/)(?:zh|en|ja|ko|fr|de|es|ru|pt)(?:[_-]?(?:cn|tw|hk|hans|hant|us|gb|jp|kr|br))?\//i;

/** Tells whether a file holds the texts of one interface language. */
function isInterfaceTexts(path: string): boolean {
  if (!LOCALE_EXTENSION.test(path)) return false;
  if (LOCALE_NAME.test(path)) return true;
  return LOCALE_FOLDER.test(path) && LOCALE_SEGMENT.test(path);
}
