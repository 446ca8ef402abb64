import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../errors.js';
import { LEADS_OUT, leadsOut } from '../inside.js';
import type { LastGood } from '../knowledge/index.js';
import { readStateFile } from '../stateFile.js';
import { isTrusted, projectOf, type Untrusted, userConfigDir } from '../trust.js';
import { parseYaml } from '../yaml.js';
import { faultsOf } from '../zod-zh.js';

/** One value or several of them. */
const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item, z.array(item).min(1)]);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** One rule of `.xihe/policy.yaml`. All that is written must hold; what is not written holds for everything. */
export const policyRuleSchema = z
  .object({
    /** Names of tools; `*` stands for any characters. */
    tool: oneOrMore(z.string().min(1)).optional(),
    danger: oneOrMore(z.enum(['low', 'medium', 'high'])).optional(),
    /** Argument → value, or pattern with `*`. */
    args: z.record(z.string(), oneOrMore(scalar)).optional(),
    /** Patterns of paths, relative to the project. */
    paths: oneOrMore(z.string().min(1)).optional(),
    /** One of them is enough. */
    roles: oneOrMore(z.string().min(1)).optional(),
    decision: z.enum(['allow', 'ask', 'deny']),
    /** Shown to whoever is asked or refused. */
    reason: z.string().trim().min(1),
  })
  .strict();

/** `.xihe/policy.yaml`. */
export const policySchema = z.object({ rules: z.array(policyRuleSchema) }).strict();

/** A rule with its place. */
export interface PolicyRule extends z.infer<typeof policyRuleSchema> {
  /** As it is shown: `.xihe/policy.yaml`. */
  file: string;
  /** 1-based line where it begins. */
  line: number;
}

/** What is wrong with a file of rules. */
export interface PolicyProblem {
  file: string;
  line: number;
  reason: string;
}

/** The rules of one file, as they count. */
export interface PolicyLayer {
  file: string;
  rules: PolicyRule[];
  /** Rules that allow count: the user wrote them, or trusts what the repository wrote. */
  mayAllow: boolean;
  problems: PolicyProblem[];
  /**
   * The file is broken: nothing may be waved through while nobody knows what it forbids. `kept` tells whether the rules are those of
   * its last good version.
   */
  broken?: { kept: boolean };
  /** What of it has to be trusted. */
  destination?: Untrusted & { trusted: boolean };
}

/** Where the project's file is, as people write it. */
export const POLICY_FILE = '.xihe/policy.yaml';

/** Rules that nobody reads to the end are no rules. Bytes. */
const POLICY_BYTES_MAX = 256 * 1024;

/** Options of {@link loadPolicyLayers}. */
export interface PolicyPlace {
  /** The project's `.xihe/`. */
  layerDir: string;
  env?: NodeJS.ProcessEnv;
  /** Remembers the last good version over processes. */
  lastGood?: LastGood;
}

/**
 * The rules that count here: the user's own (`~/.config/xihe/policy.yaml`), then the project's. A file that is not there has none.
 *
 * The project's rules that allow something count only once the user has trusted this very list of rules (`xihe trust`); rules that ask
 * or deny count at once.
 */
export function loadPolicyLayers({ layerDir, env = process.env, lastGood }: PolicyPlace): PolicyLayer[] {
  const own = loadOne(join(userConfigDir(env), 'policy.yaml'), '~/.config/xihe/policy.yaml', undefined, lastGood);
  const project = projectOf(layerDir);
  const theirs = loadOne(join(layerDir, 'policy.yaml'), POLICY_FILE, project, lastGood);
  const destination = destinationOf(theirs.rules, project);
  const trusted = destination === undefined || isTrusted(destination, env);
  return [
    { ...own, mayAllow: own.broken === undefined },
    {
      ...theirs,
      mayAllow: trusted && theirs.broken === undefined,
      ...(destination ? { destination: { ...destination, trusted } } : {}),
    },
  ];
}

/**
 * What of the project's rules loosens: those that allow, and all before the last of them, for a rule that denies may stand before one
 * that allows.
 */
function destinationOf(rules: readonly PolicyRule[], project: string): Untrusted | undefined {
  const last = rules.findLastIndex(({ decision }) => decision === 'allow');
  if (last < 0) return undefined;
  const listed = rules.slice(0, last + 1).map(({ file: _f, line: _l, ...rule }) => rule);
  return { project, setting: POLICY_FILE, address: JSON.stringify({ rules: listed }) };
}

type Loaded = Omit<PolicyLayer, 'mayAllow' | 'destination'>;

function loadOne(path: string, file: string, inside: string | undefined, lastGood: LastGood | undefined): Loaded {
  if (inside !== undefined && leadsOut(inside, path)) return brokenOr(path, file, 1, LEADS_OUT, lastGood);
  let text: string | undefined;
  try {
    text = readText(path);
  } catch (e) {
    return brokenOr(path, file, 1, messageOf(e), lastGood);
  }
  if (text === undefined) return { file, rules: [], problems: [] };
  const read = readRules(text, file);
  if ('reason' in read) return brokenOr(path, file, read.line, read.reason, lastGood);
  lastGood?.keep(path, text);
  return { file, rules: read.rules, problems: [] };
}

/** @returns undefined when nothing is there. @throws Error in Chinese when there is something that can't be read */
function readText(path: string): string | undefined {
  const bytes = readStateFile(path);
  if (bytes === undefined) {
    if (!isThere(path)) return undefined;
    throw new Error('读不了：不是普通文件，或没有读权限');
  }
  if (bytes.length > POLICY_BYTES_MAX) throw new Error(`太大：最多 ${POLICY_BYTES_MAX / 1024} KB`);
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true; // a folder on the way can't be looked into: what it holds is not known
  }
}

/** The rules of a text, or where and why it is none. */
function readRules(text: string, file: string): { rules: PolicyRule[] } | { line: number; reason: string } {
  const read = parseYaml(text, 'core');
  if (!read.ok) return read;
  // A file in which everything is a comment is no fault: the template is one.
  if (read.value === null || read.value === undefined) return { rules: [] };
  const parsed = policySchema.safeParse(read.value);
  if (!parsed.success) {
    const faults = faultsOf(parsed.error, policySchema);
    return { line: read.lineOf(faults[0]?.path ?? []), reason: faults.map(({ reason }) => reason).join('；') };
  }
  return { rules: parsed.data.rules.map((rule, i) => ({ ...rule, file, line: read.lineOf(['rules', i]) })) };
}

/** A broken file: what its last good version forbids stays forbidden. */
function brokenOr(path: string, file: string, line: number, reason: string, lastGood: LastGood | undefined): Loaded {
  const old = lastGood?.recall(path);
  const read = old === undefined ? undefined : readRules(old, file);
  const kept = read !== undefined && 'rules' in read;
  const rules = kept ? read.rules : [];
  return { file, rules, problems: [{ file, line, reason }], broken: { kept } };
}
