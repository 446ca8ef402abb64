import { languageOf } from '../../code/index.js';
import { holdsSecretValues, isKeyFileName } from '../../text/index.js';
import { FolderRules } from './folders.js';
import type { SkipReason } from './types.js';

/** Above this a file is a dump, a bundle or generated: what people wrote by hand stays far below. In bytes. */
export const MAX_SCANNED_BYTES = 1024 * 1024;

/** SQL dumps hold the COMMENTs of a whole system, and more rows than comments: they may be longer. In bytes. */
export const MAX_SQL_BYTES = 8 * 1024 * 1024;

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

/**
 * Why a file says nothing about a team's words, by its path.
 *
 * @param path POSIX, relative
 * @param named the folder or file that somebody asked for by name: what it is called leaves nothing out, only what lies below it
 * @returns undefined when the file may say something
 */
export type SkipRule = (path: string, named?: string) => SkipReason | undefined;

/** @param files all paths of the project: what lies beside a file tells what its folder is */
export function skipRule(files: Iterable<string>): SkipRule {
  const folders = new FolderRules(files);
  return (path, named = '') => {
    if (TEAM_LAYER.test(path)) return 'docs';
    if (holdsSecretValues(path) || isKeyFileName(path)) return 'data';
    const language = languageOf(path);
    const byKind = DOCS.has(language)
      ? 'docs'
      : language === 'other' && !READABLE_OTHERS.test(path)
        ? 'data'
        : undefined;
    if (path === named) return byKind;
    const from = named === '' ? 0 : named.length + 1;
    const byFolder = folders.reason(path, from);
    if (byFolder === 'vendored' || HANDED_OUT.test(path.slice(from))) return 'vendored';
    if (GENERATED.test(path.slice(from)) || GENERATED_DECLARATIONS.test(path.slice(from))) return 'generated';
    return byFolder ?? byKind ?? (folders.isOtherLocale(path, from) ? 'other-language' : undefined);
  };
}

/** The same where nothing is known of what lies beside a file. */
export const skipReason: SkipRule = skipRule([]);

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
