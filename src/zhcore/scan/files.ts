import { languageOf } from '../../code/index.js';
import { holdsSecretValues, isKeyFileName } from '../../text/index.js';
import type { SkipReason } from './types.js';

/** Above this a file is a dump, a bundle or generated: what people wrote by hand stays far below. In bytes. */
export const MAX_SCANNED_BYTES = 1024 * 1024;

/** SQL dumps hold the COMMENTs of a whole system, and more rows than comments: they may be longer. In bytes. */
export const MAX_SQL_BYTES = 8 * 1024 * 1024;

const TESTS =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing|mocks?|__mocks__|fixtures?|__fixtures__|testdata|stories)\/|[._-](?:test|spec|e2e|stories|mock)\.\w+$|(?:^|\/)test_[^/]+\.py$|_test\.(?:go|py|rb)$|(?:Test|Tests|TestCase|IT)\.(?:java|kt|cs|php|scala)$/;
const VENDORED =
  /(?:^|\/)(?:node_modules|vendor|vendors|third[_-]?party|bower_components|libs?\/(?:js|plugins)|static\/(?:ajax\/libs|plugins|tinymce|ueditor)|public\/(?:ueditor|tinymce)|uni_modules|dist|target|unpackage|miniprogram_npm|\.git|\.idea|\.vscode|\.github)\//;
/** Declarations that tools write; those in a project's own folders are written by hand. */
const GENERATED_DECLARATIONS =
  /(?:^|\/)(?:auto-imports?|components|env|vite-env|shims-[\w-]+|typed-router|react-app-env|next-env|uni-app|global|images?)\.d\.ts$|^(?:.*\/)?(?:public|static|assets)\/.*\.d\.ts$/;
/** Scripts that lie where a server hands them out as they are: editors, maps, players of others. */
const HANDED_OUT = /(?:^|\/)public\/.*\.[cm]?js$/;
const GENERATED =
  /[.-]min\.\w+$|\.(?:bundle|chunk)\.\w+$|\.map$|\.pb\.go$|_pb2(?:_grpc)?\.py$|\.g\.(?:dart|cs)$|\.designer\.cs$|(?:^|\/)(?:generated|gen-src|__generated__)\/|(?:^|\/)(?:docs|swagger)\/(?:docs\.go|swagger\.(?:json|ya?ml))$|package-lock\.json$|pnpm-lock\.yaml$|yarn\.lock$|composer\.lock$/;
const TEAM_LAYER = /(?:^|\/)\.xihe\//;
const DOCS = new Set(['markdown', 'html', 'css']);
/** Languages whose files hold symbols, tables or interface texts. */
const READABLE_OTHERS = /\.(?:properties|po|graphqls?|gql|proto|prisma|thrift)$/i;
/** The interface in another language than simplified Chinese; traditional texts say the same once more. */
const OTHER_LOCALE =
  /(?:^|[/._-])(?:en|ja|ko|fr|de|es|ru|pt|tw|it|tr|ms|vi|th|id|ar)(?:[_-]?(?:us|gb|jp|kr|br|fr|de|es|ru|pt|it|tr|my|vn))?\.(?:json5?|ya?ml|properties|[cm]?[jt]s|po)$|zh[-_]?(?:tw|hk|hant)|(?:^|\/)(?:en|ja|ko|fr|de|es|ru|pt|tw)(?:[-_]\w+)?\/[^/]+\.(?:json5?|ya?ml|properties|[cm]?[jt]s)$/i;
/** Demo code shows how a library is used, not what the business is called. */
const DEMO = /(?:^|\/)(?:demos?|examples?|samples?)\//i;

/**
 * Why a file says nothing about a team's words, by its path; undefined when it may.
 *
 * @param path POSIX, relative
 */
export function skipReason(path: string): SkipReason | undefined {
  if (TEAM_LAYER.test(path)) return 'docs';
  if (VENDORED.test(path) || HANDED_OUT.test(path)) return 'vendored';
  if (GENERATED.test(path) || GENERATED_DECLARATIONS.test(path)) return 'generated';
  if (TESTS.test(path) || DEMO.test(path)) return 'tests';
  if (holdsSecretValues(path) || isKeyFileName(path)) return 'data';
  const language = languageOf(path);
  if (DOCS.has(language)) return 'docs';
  if (language === 'other' && !READABLE_OTHERS.test(path)) return 'data';
  if (isOtherLocale(path)) return 'other-language';
  return undefined;
}

/** Tells whether a file holds the interface in another language. */
function isOtherLocale(path: string): boolean {
  return OTHER_LOCALE.test(path) && !/zh[-_]?(?:cn|hans)/i.test(path);
}

/** Tells whether a file is too large to have been written by hand. */
export function isTooLarge(path: string, bytes: number): boolean {
  return bytes > (/\.(?:sql|ddl)$/i.test(path) ? MAX_SQL_BYTES : MAX_SCANNED_BYTES);
}

/** Folder names that say what kind of code lies in them, not which part of the business. */
const PLAIN_FOLDERS = new Set(
  'src app apps packages package modules module main java kotlin com org cn internal pkg cmd server web client backend frontend front back api lib libs common core shared service services sql db database docs doc document documents scripts resources views pages components model models dto entity entities domain dao mapper mappers controller controllers router routers route routes handler handlers middleware config utils util helper constant constants repository enums types interface interfaces store stores schema schemas global init request response cron job jobs task tasks assets static public layout layouts hooks plugins directives styles i18n lang locales admin portal'.split(
    ' ',
  ),
);

/** The folder that a path's part of the business lies in: the first one whose name says something; '' when none does. */
export function folderModule(path: string): string {
  return (
    path
      .split('/')
      .slice(0, -1)
      .find((folder) => !PLAIN_FOLDERS.has(folder.toLowerCase())) ?? ''
  );
}
