import { GONE, type Rule } from './dangerArgs.js';
import { isOutside, isPrecious, isSecretPlace, placesOf } from './dangerPaths.js';
import { HIGH_RULES, LOW_RULES, MEDIUM_RULES, WRAPPERS } from './dangerRules.js';
import { type SimpleCommand, splitShell } from './shellSplit.js';
import type { Danger } from './types.js';

/** How dangerous a command line is, and the Chinese reason (of its most dangerous part). */
export interface DangerVerdict {
  danger: Danger;
  why: string;
  /** In Chinese: what of it can't be undone (of any part); absent where the tables know of nothing. */
  irreversible?: string;
}

const ORDER: Record<Danger, number> = { low: 0, medium: 1, high: 2 };
/** Commands inside commands (`sh -c "sudo sh -c …"`) deeper than this are called unknown. */
const MAX_DEPTH = 5;

/**
 * A simple classifier, not a shell interpreter: it looks up words in tables (`dangerRules.ts`). It can be fooled by a
 * script's content, a variable or an alias, so it decides only what needs a question, never what is safe to run outside
 * the sandbox; and what it does not know is at least medium.
 *
 * @param commandLine a shell line; its danger is that of its most dangerous part
 */
export function dangerOf(commandLine: string): DangerVerdict {
  return classify(commandLine, 0);
}

/**
 * The same for a program that is run with these very arguments, without a shell: a `$x` or a `;` in them is text.
 */
export function dangerOfProgram(argv: readonly string[]): DangerVerdict {
  return ofWords(argv, false, 0);
}

function classify(line: string, depth: number): DangerVerdict {
  if (depth > MAX_DEPTH) return { danger: 'medium', why: '命令套得太深，看不清' };
  if (/:\s*\(\s*\)\s*\{.*\|.*&.*\}/s.test(line)) return { danger: 'high', why: '会无限复制进程' };
  const { commands, strange } = splitShell(line);
  const verdicts = commands.map((c) => ofCommand(c, depth));
  if (strange) verdicts.push({ danger: 'medium', why: '引号或括号不成对，看不清' });
  if (verdicts.length === 0) return { danger: 'low', why: '没有命令' };
  return verdicts.reduce(worse);
}

/** The more dangerous of two; what can't be undone of either stays so in both. */
function worse(a: DangerVerdict, b: DangerVerdict): DangerVerdict {
  const worst = ORDER[b.danger] > ORDER[a.danger] ? b : a;
  const irreversible = worst.irreversible ?? a.irreversible ?? b.irreversible;
  return irreversible === worst.irreversible ? worst : { ...worst, ...(irreversible ? { irreversible } : {}) };
}

function ofCommand(command: SimpleCommand, depth: number): DangerVerdict {
  const secret = command.reads.find(isSecretPlace);
  const reads: DangerVerdict[] = secret === undefined ? [] : [secretRead(secret)];
  return [ofWords(command.words, command.piped, depth), ofWrites(command.writes), ...reads].reduce(worse);
}

function ofWrites(writes: readonly string[]): DangerVerdict {
  const real = writes.filter((w) => !/^\/dev\/(null|stdout|stderr|tty)$|^\/dev\/fd\//.test(w));
  if (real.some((w) => /^\/dev\//.test(w))) return { danger: 'high', why: '直接写设备', irreversible: GONE.data };
  if (real.some((w) => /^\/(etc|boot|usr|bin|sbin|lib)\//.test(w))) return { danger: 'high', why: '改写系统文件' };
  const precious = real.find(isPrecious);
  if (precious !== undefined) return { danger: 'high', why: `改写主目录或系统里的 ${precious}` };
  return real.length > 0 ? { danger: 'medium', why: `写文件 ${real[0]}` } : { danger: 'low', why: '只读' };
}

function ofWords(allWords: readonly string[], piped: boolean, depth: number): DangerVerdict {
  if (allWords.length === 0) return { danger: 'low', why: READS };
  const settings = allWords.findIndex((w) => !/^[A-Za-z_]\w*\+?=/.test(w));
  if (settings < 0) return { danger: 'low', why: '只设置变量' };
  const start: DangerVerdict = allWords
    .slice(0, settings)
    .some((w) =>
      /^(PATH|HOME|IFS|ENV|SHELL|(LD|DYLD)_\w+|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBYOPT|JAVA_TOOL_OPTIONS|BASH_ENV|GIT_\w+|(\w*_)?(PAGER|EDITOR))=/.test(
        w,
      ),
    )
    ? { danger: 'medium', why: '改变了程序的查找或加载方式' }
    : { danger: 'low', why: '只读' };
  const words = allWords.slice(settings);
  return worse(ofProgram(words, piped, depth), start);
}

function ofProgram(words: readonly string[], piped: boolean, depth: number): DangerVerdict {
  const name = programName(words[0]!);
  const args = words.slice(1);
  if (/[$`]/.test(words[0]!)) {
    // Not to be known what it does, so what it is given decides: nothing runs on the home folder by way of a variable.
    const precious = args.find(isPrecious);
    if (precious !== undefined) return { danger: 'high', why: `由变量决定的程序用到主目录或系统里的 ${precious}` };
    return { danger: 'medium', why: '运行的程序由变量决定，看不清' };
  }
  const sql = args.find((a) =>
    /\b(drop|truncate)\s+(table|database|schema|index|view|user|collection)\b|\bdelete\s+from\b/i.test(a),
  );
  if (sql !== undefined && !LOW_READERS.has(name))
    return { danger: 'high', why: '删除数据库里的数据', irreversible: GONE.data };
  const wrapped = ofWrapped(name, args, piped, depth);
  if (wrapped !== null) return wrapped;
  const places = ofPlaces(name, args);
  const known = ofTables(name, args, piped);
  // `./ls` is a file of the project, whatever it is called.
  const own = isOwnProgram(words[0]!) && known.danger === 'low' ? ownProgram(words[0]!) : known;
  // What runs the project's code must not run another project's, or leave its output elsewhere.
  const leaves = own.danger === 'low' && own.why !== READS && placesOf(args).some(isOutside);
  return [own, places, leaves ? ({ danger: 'medium', why: '涉及当前目录之外的路径' } as const) : own].reduce(worse);
}

const ownProgram = (word: string): DangerVerdict => ({ danger: 'medium', why: `运行项目里的程序 ${word}` });

/** A program given by a relative path, but for the places where tools are installed and the wrappers of build tools. */
function isOwnProgram(word: string): boolean {
  if (!word.includes('/') || /(^|\/)(node_modules\/\.bin|\.?venv\/bin|vendor\/bin)\/[^/]+$/.test(word)) return false;
  if (/(^|\/)(mvnw|gradlew)$/.test(word)) return false;
  return !/^(\/usr(\/local)?|\/opt\/homebrew)?\/s?bin\/[^/]+$/.test(word);
}

function ofTables(name: string, args: readonly string[], piped: boolean): DangerVerdict {
  for (const [danger, rules] of TABLES) {
    const rule = (Object.hasOwn(rules, name) ? rules[name]! : []).find(
      (r) => r.when === undefined || r.when(args, piped),
    );
    if (rule !== undefined) return { danger, why: rule.why, ...(rule.lasting ? { irreversible: rule.lasting } : {}) };
  }
  if (/deploy|release|rollback|restart|上线|发布|部署|回滚|重启/i.test(name))
    return { danger: 'high', why: `${name} 看起来是发布或重启` };
  return { danger: 'medium', why: `不认识 ${name}，按中等风险处理` };
}

/** The reason of rules for programs that only look. */
const READS = '只读';
/** Programs that remove or overwrite what their arguments name: all of them, or the last. */
const REMOVERS = new Set('rm del erase rmdir rd unlink mv truncate tee chmod chown'.split(' '));
const COPIERS = new Set('cp ln install rsync scp'.split(' '));
/** The first of their arguments is a pattern, or all are texts. */
const PATTERN_FIRST = new Set('grep egrep fgrep rg ag ack sed awk'.split(' '));
const TEXTS_ONLY = new Set(['echo', 'printf']);

const secretRead = (place: string): DangerVerdict => ({ danger: 'medium', why: `涉及存密钥的 ${place}` });

/** What the places that a program is given say. */
function ofPlaces(name: string, args: readonly string[]): DangerVerdict {
  const plain = args.filter((a) => !a.startsWith('-'));
  const inPlace = name === 'sed' && args.some((a) => /^(-[A-Za-z]*i|--in-place)/.test(a));
  const hit = REMOVERS.has(name) || inPlace ? plain : COPIERS.has(name) ? plain.slice(-1) : [];
  const precious = hit.find(isPrecious);
  if (precious !== undefined) return { danger: 'high', why: `删除或改写主目录、系统里的 ${precious}` };
  if (name === 'cd' || name === 'pushd') {
    const to = plain[0] ?? '~';
    const stays = !isOutside(to) && to !== '-' && !args.includes('-') && !/[$`]/.test(to.replace(/^\$\{?PWD\}?/, ''));
    return stays ? { danger: 'low', why: READS } : { danger: 'medium', why: '离开当前目录' };
  }
  const first = PATTERN_FIRST.has(name) ? args.indexOf(plain[0] ?? '') : -1;
  const read = TEXTS_ONLY.has(name) ? [] : placesOf(args.filter((_, i) => i !== first));
  const secret = read.find(isSecretPlace);
  if (secret !== undefined) return secretRead(secret);
  return { danger: 'low', why: READS };
}

/** Programs whose arguments are patterns and texts, not statements. */
const LOW_READERS = new Set(['grep', 'egrep', 'fgrep', 'rg', 'ag', 'echo', 'printf', 'git']);

const TABLES: ReadonlyArray<readonly [Danger, Readonly<Record<string, readonly Rule[]>>]> = [
  ['high', HIGH_RULES],
  ['low', LOW_RULES],
  ['medium', MEDIUM_RULES],
];

/** Programs that run other programs: what they run decides, and never less than what they are themselves. */
function ofWrapped(name: string, args: readonly string[], piped: boolean, depth: number): DangerVerdict | null {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined) return null;
  const own: DangerVerdict = { danger: wrapper.atLeast, why: wrapper.why };
  if (wrapper.kind === 'shell') {
    const flag = args.findIndex((a) => /^-[a-z]*c[a-z]*$/i.test(a));
    if (flag >= 0) return worse(own, classify(args[flag + 1] ?? '', depth + 1));
    if (piped) return { danger: 'high', why: '把下载或生成的内容直接当脚本执行' };
    if (args.length === 1 && args[0] === '--version') return own;
    // Without a script it reads its input: `bash <<< '…'`, `sh < file`.
    return worse(own, { danger: 'medium', why: `运行脚本 ${args.find((a) => !a.startsWith('-')) ?? ''}`.trim() });
  }
  if (wrapper.kind !== 'prefix') return worse(own, classify(args.join(' '), depth + 1));
  const rest = args.slice(wrapper.skip(args));
  if (rest.length === 0) return own;
  const inner = ofWords(rest, piped, depth + 1);
  // `xargs rm`: what it gets is unknown, so it is never harmless.
  if (name === 'xargs' && programName(rest[0]!) === 'rm')
    return { danger: 'high', why: '批量删除文件', irreversible: GONE.files };
  return worse(own, inner);
}

/** `/usr/bin/rm`, `rm.exe` and `RM` (on Windows) are rm; `mkfs.ext4` is mkfs. */
function programName(word: string): string {
  const base = word.replaceAll('\\', '/').split('/').at(-1) ?? word;
  return base.replace(/\.(exe|cmd|bat)$|(?<=^mkfs)\..*/i, '').toLowerCase();
}
