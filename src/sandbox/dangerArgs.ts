import type { Danger } from './types.js';

/** One line of the tables: the first rule of a program whose `when` holds (or has none) decides. */
export interface Rule {
  why: string;
  /** In Chinese: what is gone for good. Only what a line says exactly, never what a name makes likely. */
  lasting?: string;
  when?: (args: readonly string[], piped: boolean) => boolean;
}

export type Rules = Readonly<Record<string, readonly Rule[]>>;

/** What is gone for good, in the words of the question. */
export const GONE = {
  files: '删掉的文件回不来',
  data: '删掉的数据回不来',
  edits: '还没提交的改动回不来',
  history: '被盖掉或删掉的提交，别人那里也会丢',
  published: '发布出去的版本收不回来',
  running: '正在跑的会被打断，接不上',
} as const;

/** A program that runs another one. */
export type Wrapper =
  | { kind: 'shell'; atLeast: Danger; why: string }
  | { kind: 'text'; atLeast: Danger; why: string }
  /** `skip`: how many of its own arguments come before the program. */
  | { kind: 'prefix'; atLeast: Danger; why: string; skip: (args: readonly string[]) => number };

/** One of these letters among the short options, or one of these long options. */
export const hasFlag = (letters: string, ...long: string[]) => {
  const short = new RegExp(`^-[A-Za-z]*[${letters}]`);
  return (args: readonly string[]) =>
    args.some((a) => (short.test(a) && !a.startsWith('--')) || long.some((l) => a === l || a.startsWith(`${l}=`)));
};
/** The first argument that is no option: the subcommand. */
export const sub = (args: readonly string[]) => args.find((a) => !a.startsWith('-')) ?? '';
/** The subcommand is one of these. */
export const subIs =
  (...names: string[]) =>
  (args: readonly string[]) =>
    names.includes(sub(args));
/** Some argument matches. */
export const anyArg = (pattern: RegExp) => (args: readonly string[]) => args.some((a) => pattern.test(a));
/** The same reason for each of these programs (names apart by spaces), whatever the arguments. */
export const always = (why: string, names: string, lasting?: string): Rules =>
  Object.fromEntries(names.split(' ').map((n) => [n, [{ why, ...(lasting ? { lasting } : {}) }]]));
/** The same rules for each of these programs. */
export const forAll = (names: string, rules: readonly Rule[]): Rules =>
  Object.fromEntries(names.split(' ').map((n) => [n, rules]));

/** One table of several; the rules of a program that is in more than one are tried in turn. */
export function merged(...parts: readonly Rules[]): Rules {
  const all: Record<string, readonly Rule[]> = {};
  for (const part of parts) {
    for (const [name, rules] of Object.entries(part))
      all[name] = [...(Object.hasOwn(all, name) ? all[name]! : []), ...rules];
  }
  return all;
}

/** Names of scripts and targets that reach beyond the working copy, or wipe something. */
export const RISKY_SCRIPT =
  /(^|[:._-])(deploy|release|publish|rollback|restart|drop|destroy|purge|reset|prod|migrate)([:._-]|$)/i;
/** Names of scripts and targets that test or check. */
export const CHECK_SCRIPT =
  /^(test|tests|lint|check|typecheck|type-check|tsc|verify|format:check|fmt:check|unit|spec|coverage)([:._-]|$)/i;

/** `npm run X`, `pnpm X`, `yarn X`, `bun run X`: the script's name. */
export const scriptOf = (args: readonly string[]): string => {
  const words = args.filter((a) => !a.startsWith('-'));
  return (words[0] === 'run' || words[0] === 'run-script' ? words[1] : words[0]) ?? '';
};

/** The subcommand behind options of which these take a value of their own: `-n prod delete`. */
const subBehind =
  (valued: RegExp) =>
  (args: readonly string[]): string => {
    for (let i = 0; i < args.length; i++) {
      const a = args[i]!;
      if (valued.test(a)) i++;
      else if (!a.startsWith('-')) return a;
    }
    return '';
  };

/** The subcommand of git, behind its global options. */
export const gitSub = subBehind(/^(-C|-c|--git-dir|--work-tree|--namespace)$/);

/** The same of kubectl and helm. */
export const clusterSub = subBehind(
  /^(-n|-s|-v|--(namespace|context|kube-context|kubeconfig|cluster|user|server|token|as|as-group|cache-dir|request-timeout|kube-\w+))$/,
);
/** It is one of these. */
export const clusterSubIs =
  (...names: string[]) =>
  (args: readonly string[]) =>
    names.includes(clusterSub(args));
