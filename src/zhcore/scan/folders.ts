import type { SkipReason } from './types.js';

/**
 * What a folder holds, by its name and by where it lies. A name alone says little: `vendor` is where package managers put what they
 * download, and 供应商; `spec` holds tests, and 规格; `example` is the package of every new Spring Boot project.
 */

/** Whatever lies around them, these hold other people's work. */
const ALWAYS_VENDORED = new Set(
  'node_modules bower_components third_party third-party thirdparty uni_modules miniprogram_npm .git .idea .vscode .github'.split(
    ' ',
  ),
);
/** Where pages are delivered with the scripts of others: `static/ajax/libs`, `lib/js`. */
const DELIVERED =
  /(?:^|\/)(?:libs?\/(?:js|plugins)|static\/(?:ajax\/libs|plugins|tinymce|ueditor)|public\/(?:ueditor|tinymce))$/;
/** Folders that pages are delivered from; a `vendor` in them holds scripts of others. */
const DELIVERY = new Set('static public assets wwwroot webapp webroot js css libs resources'.split(' '));
/** What builds leave; under `src/` it is the name of a part (目标管理). */
const OUTPUT = new Set(['dist', 'target', 'unpackage']);
const TESTS = new Set(
  'test tests __tests__ __specs__ e2e testing mock mocks __mocks__ fixture fixtures __fixtures__ testdata stories'.split(
    ' ',
  ),
);
/** Tests, at the top of a package or among tests only: elsewhere 规格. */
const SPECS = new Set(['spec', 'specs']);
const DEMOS = new Set(['demo', 'demos']);
/** Code that shows how a library is used, at the top of a package only: elsewhere 样品, or a package's name. */
const EXAMPLES = new Set(['example', 'examples', 'sample', 'samples']);
/** What lies at the top of a package. */
const MANIFEST =
  /^(?:package\.json|composer\.json|go\.mod|Gemfile|pom\.xml|build\.gradle(?:\.kts)?|Cargo\.toml|pyproject\.toml|setup\.py|requirements\.txt|.+\.csproj)$/;
/** What package managers put into the folder that they download to: Go, Composer, Bundler. */
const DOWNLOADED =
  /^(?:modules\.txt|autoload\.php|composer|bundle|github\.com|golang\.org|google\.golang\.org|gopkg\.in)$/;

/** Names of files that hold tests. */
const TEST_FILE =
  /\.(?:test|spec|e2e|stories|mock)\.[cm]?[jt]sx?$|-test\.[cm]?[jt]sx?$|_test\.(?:go|py|rb|exs|dart|cc|cpp|[cm]?[jt]sx?)$|_spec\.rb$|(?:^|\/)test_[^/]+\.py$|(?:Test|Tests|TestCase|IT)\.(?:java|kt|cs|php|scala)$/;

/** Packages of the JVM: what is below names a company, a product and its parts (`com.example.vendor`), and no kind of folder. */
const PACKAGED = /\.(?:java|kts?|scala|groovy)$/;
const SOURCE_ROOT = /(?:^|\/)src\/(\w+)\/(?:java|kotlin|scala|groovy)\//;
/** Where there is no such root, packages begin with a domain read backwards. */
const DOMAIN = /(?:^|\/)(?:com|org|cn|net|io|edu|gov)\/[^/]+\//;

/** Folders that interface texts of several languages lie in. */
const LOCALE_FOLDERS = new Set(
  'i18n l10n locale locales lang langs language languages messages message translation translations nls'.split(' '),
);
const TAG = `(?:en|ja|ko|fr|de|es|ru|pt|it|tr|ms|vi|th|id|ar|nl|pl|uk|hi|fa|he|cs|sv|da|fi|nb|no|hu|ro|el|bg)(?:[_-][a-z]{2,4})?`;
const LOCALE_FILE = new RegExp(String.raw`^(|.*[._-])(${TAG})(\.(?:json5?|ya?ml|properties|[cm]?[jt]s|po))$`, 'i');
const LOCALE_FOLDER = new RegExp(`^${TAG}$`, 'i');
const TEXT_FILE = /\.(?:json5?|ya?ml|properties|[cm]?[jt]s|po)$/i;
const CHINESE = [
  'zh',
  'zh-CN',
  'zh_CN',
  'zh-cn',
  'zh_cn',
  'zhCN',
  'zh-Hans',
  'zh_Hans',
  'cn',
  'zh-TW',
  'zh_TW',
  'zh-tw',
];

/** The interface in traditional characters, by its file or by the first part of a key. */
export const TRADITIONAL =
  /(?:^|[/._-])zh[-_]?(?:tw|hk|mo|hant)(?:[-_]\w+)?(?:[/.]|$)|(?:^|\/)(?:tw|hk)\.(?:json5?|ya?ml|[cm]?[jt]s)$/i;

export class FolderRules {
  readonly #there = new Set<string>();
  /** Folders with a manifest. */
  readonly #packages = new Set(['']);
  /** Folders that a package manager fills. */
  readonly #downloaded = new Set<string>();

  constructor(files: Iterable<string>) {
    for (const file of files) {
      const parts = file.split('/');
      if (MANIFEST.test(parts.at(-1)!)) this.#packages.add(parts.slice(0, -1).join('/'));
      for (let n = parts.length; n > 0; n--) {
        const path = parts.slice(0, n).join('/');
        if (this.#there.has(path)) break;
        this.#there.add(path);
        if (DOWNLOADED.test(parts[n - 1]!)) this.#downloaded.add(parts.slice(0, n - 1).join('/'));
      }
    }
  }

  /** @param from offset behind the folder that was asked for by name */
  reason(path: string, from: number): SkipReason | undefined {
    const own = ownFolders(path);
    const end = own === undefined ? path.lastIndexOf('/') + 1 : own.end;
    for (let at = path.indexOf('/', from); at >= 0 && at < end; at = path.indexOf('/', at + 1)) {
      const found = this.#folder(path.slice(0, at), PACKAGED.test(path));
      if (found !== undefined) return found;
    }
    if (own?.isTest && end > from) return 'tests';
    return own?.isMain !== true && TEST_FILE.test(path) ? 'tests' : undefined;
  }

  #folder(folder: string, packaged: boolean): SkipReason | undefined {
    const slash = folder.lastIndexOf('/');
    const name = folder.slice(slash + 1);
    const parent = folder.slice(0, Math.max(0, slash));
    if (ALWAYS_VENDORED.has(name.toLowerCase()) || DELIVERED.test(folder)) return 'vendored';
    if (OUTPUT.has(name) && !/(?:^|\/)src\//.test(folder)) return 'vendored';
    if (/^vendors?$/.test(name) && this.#isVendor(folder, parent)) return 'vendored';
    if (TESTS.has(name)) return 'tests';
    if (SPECS.has(name) && this.#packages.has(parent)) return 'tests';
    const lower = name.toLowerCase();
    if (DEMOS.has(lower)) return 'tests';
    // A class lies in a package: what is no package's name is a folder of examples.
    return EXAMPLES.has(lower) && (packaged || this.#packages.has(parent) || /(?:^|\/)(?:docs?|src)$/.test(parent))
      ? 'tests'
      : undefined;
  }

  #isVendor(folder: string, parent: string): boolean {
    if (this.#downloaded.has(folder) || DELIVERY.has(parent.slice(parent.lastIndexOf('/') + 1).toLowerCase()))
      return true;
    // With a manifest of its own it is a module of the project.
    return this.#packages.has(parent) && !this.#packages.has(folder);
  }

  /**
   * Tells whether a file is called as the interface in another language is: in a folder of such texts, or beside the Chinese ones.
   * Whether it holds texts at all only its content says.
   */
  isOtherLocale(path: string, from: number): boolean {
    if (!TEXT_FILE.test(path)) return false;
    const parts = path.split('/');
    const base = parts.pop()!;
    const parent = parts.join('/');
    const inContext = parts.some((part) => LOCALE_FOLDERS.has(part.toLowerCase()));
    const file = LOCALE_FILE.exec(base);
    if (file !== null) {
      const [, before, , ending] = file as unknown as [string, string, string, string];
      const sibling = (name: string) => this.#there.has(parent === '' ? name : `${parent}/${name}`);
      if (inContext || CHINESE.some((tag) => sibling(before + tag + ending))) return true;
      // A bundle of Java: messages.properties, messages_en.properties.
      if (before.endsWith('_') && /^\.properties$/i.test(ending) && sibling(before.slice(0, -1) + ending)) return true;
    }
    let at = 0;
    return parts.some((part, i) => {
      at += part.length + 1;
      if (at <= from || !LOCALE_FOLDER.test(part)) return false;
      const outer = parts.slice(0, i);
      if (outer.some((name) => LOCALE_FOLDERS.has(name.toLowerCase()))) return true;
      return CHINESE.some((tag) => this.#there.has([...outer, tag].join('/')));
    });
  }
}

/** Where the package of a class begins in its path; undefined for what lies in none. */
function ownFolders(path: string): { end: number; isMain?: boolean; isTest?: boolean } | undefined {
  if (!PACKAGED.test(path)) return undefined;
  const root = SOURCE_ROOT.exec(path);
  if (root !== null) {
    const isTest = /test/i.test(root[1]!);
    return { end: root.index + root[0].length, isMain: !isTest, isTest };
  }
  const domain = DOMAIN.exec(path);
  return domain === null ? undefined : { end: domain.index === 0 ? 0 : domain.index + 1 };
}
