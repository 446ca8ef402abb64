import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isExpired, type KnowledgeDocument } from '../../../knowledge/index.js';
import { readFileText } from '../../../text/index.js';
import type { Playbook, Term, Warning } from '../../types.js';
import { addDays } from '../../upkeep/calendar.js';
import { repoFile } from '../../upkeep/stale.js';
import type { LintModel } from '../model.js';
import type { Finding, LintEntry, Rule } from '../types.js';

type Any = LintEntry<Term | Warning | Playbook | KnowledgeDocument>;

/** An entry that names no source gets its own place as one. */
function isOwnPlace({ entry: { provenance }, file, line }: Any): boolean {
  return [file, `repo://${file}`, `repo://${file}#L${line}`].includes(provenance.source);
}

const eachEntry = (model: LintModel, check: (entry: Any) => Finding | undefined): Finding[] =>
  model.entries.flatMap((entry) => check(entry) ?? []);

const missing: Rule = {
  id: 'XL101',
  name: 'missing-source',
  level: 'warning',
  title: '没有写来源',
  help: '写 source：官方页面的网址、repo://路径#L行号，或谁在哪里定的。没有来源的条目没法复核，模型也没法引用。',
  check: (model) =>
    eachEntry(model, (entry) =>
      isOwnPlace(entry) ? model.at(missing, entry, '没有写 source：补上官方网址、repo://路径，或谁定的') : undefined,
    ),
};

const officialAddress: Rule = {
  id: 'XL102',
  name: 'official-without-address',
  level: 'error',
  title: '官方知识没有 https 来源',
  help: 'kind: official 的 source 要是官方页面的 https 网址；团队自己的经验写 kind: experience。',
  check: (model) =>
    model.layers
      .flatMap(({ documents }) => documents)
      // A JSON block has no `kind`; its source may be any text.
      .filter(({ file, entry }) => file.endsWith('.md') && entry.kind === 'official')
      .filter(({ entry }) => !/^https:\/\/\S+$/i.test(entry.provenance.source))
      .map((entry) =>
        model.at(officialAddress, entry, '官方知识的 source 要写官方页面的 https 网址；经验写 kind: experience', {
          near: 'source:',
        }),
      ),
};

const brokenRepoSource: Rule = {
  id: 'XL103',
  name: 'broken-repo-source',
  level: 'error',
  title: 'repo:// 来源指向的文件或行不存在',
  help: '文件搬走或删掉了。把 source 改成现在的位置；内容已经没有依据的，删掉这一条。未确认的候选只算警告。',
  check(model) {
    const { root } = model.options;
    if (root === undefined) return [];
    return eachEntry(model, (entry) => {
      const { source } = entry.entry.provenance;
      // What ships names files of no repository in particular.
      if (entry.layer === 'general' || isOwnPlace(entry)) return undefined;
      const fault = repoFault(root, source);
      const level = entry.status === 'verified' ? 'error' : 'warning';
      return fault === undefined ? undefined : model.at(brokenRepoSource, entry, fault, { near: source, level });
    });
  },
};

/** What is wrong with a `repo://path#L12` source, in Chinese. */
function repoFault(root: string, source: string): string | undefined {
  const path = repoFile(source);
  if (path === undefined) return undefined;
  const abs = resolve(root, path);
  if (relative(root, abs).startsWith('..')) return `来源 ${source} 在项目之外`;
  if (!existsSync(abs)) return `来源的文件 ${path} 不存在：改成现在的位置，或删掉这一条`;
  const line = Number(/#L(\d+)/.exec(source)?.[1] ?? 1);
  if (line <= 1 || !statSync(abs).isFile()) return undefined;
  const lines = linesIn(join(root, path));
  return lines !== undefined && line > lines ? `来源 ${path} 只有 ${lines} 行，没有第 ${line} 行` : undefined;
}

function linesIn(file: string): number | undefined {
  try {
    return readFileText(file).text.split('\n').length;
  } catch {
    return undefined;
  }
}

const notReviewed: Rule = {
  id: 'XL104',
  name: 'not-reviewed',
  level: 'warning',
  title: '已确认的条目没有写 reviewed_at',
  help: '写上最后一次核对的日期（2026-11-03 的样子），xihe stale 才知道什么时候该再看。候选不用写。',
  check: (model) =>
    eachEntry(model, (entry) =>
      entry.status === 'verified' && entry.entry.provenance.reviewedAt === undefined
        ? model.at(notReviewed, entry, '没有写 reviewed_at：补上最后一次核对的日期')
        : undefined,
    ),
};

const reviewDate: Rule = {
  id: 'XL105',
  name: 'impossible-review-date',
  level: 'error',
  title: 'reviewed_at 在将来，或不是真实的日期',
  help: '写真正核对的那一天。将来的日期会让这一条永远不到期。',
  check: (model) =>
    eachEntry(model, (entry) => {
      const day = entry.entry.provenance.reviewedAt;
      if (day === undefined) return undefined;
      if (addDays(day, 0) === undefined) return model.at(reviewDate, entry, `没有 ${day} 这一天`, { near: day });
      // A day ahead is another time zone's today.
      const latest = addDays(model.options.today, 1) as string;
      return day > latest ? model.at(reviewDate, entry, `reviewed_at ${day} 在将来`, { near: day }) : undefined;
    }),
};

const expired: Rule = {
  id: 'XL106',
  name: 'expired',
  level: 'warning',
  title: 'version_until 已经过去',
  help: '条目自己写明已经失效，查询时排在后面。更新内容和 version_until，或者删掉它。',
  check: (model) =>
    eachEntry(model, (entry) =>
      isExpired(entry.entry.provenance, model.options.today)
        ? model.at(expired, entry, `version_until ${entry.entry.provenance.versionUntil} 已经过去：更新或删掉`, {
            near: 'version_until',
          })
        : undefined,
    ),
};

export const sourceRules: readonly Rule[] = [
  missing,
  officialAddress,
  brokenRepoSource,
  notReviewed,
  reviewDate,
  expired,
];
