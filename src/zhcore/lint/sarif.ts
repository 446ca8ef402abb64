import { stableHash } from '../../text/index.js';
import { LINT_RULES } from './lint.js';
import type { Finding, Rule } from './types.js';

/** Where the paths of findings start: the repository, and the package for what ships. */
const BASES = { project: '%SRCROOT%', general: '%XIHE%' } as const;

/**
 * Findings as SARIF 2.1.0 (OASIS), in the part of it that code scanning services read: rules with their texts, one location each,
 * relative URIs, and a fingerprint that survives moved lines.
 *
 * @param generalInRepo the general layer lies in the repository itself: its paths start there too
 */
export function toSarif(findings: readonly Finding[], version: string, generalInRepo: boolean): object {
  const seen = new Map<string, number>();
  const indexes = new Map(LINT_RULES.map(({ id }, i) => [id, i]));
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'xihe lint',
            semanticVersion: version,
            language: 'zh-CN',
            rules: LINT_RULES.map(toDescriptor),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: {
          [BASES.project]: { description: { text: '项目根目录' } },
          [BASES.general]: { description: { text: '羲和的安装目录' } },
        },
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: indexes.get(finding.rule) ?? -1,
          level: finding.level,
          message: { text: finding.message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: {
                  uri: toUri(finding.file),
                  uriBaseId: finding.layer === 'general' && !generalInRepo ? BASES.general : BASES.project,
                },
                region: { startLine: finding.line },
              },
            },
          ],
          partialFingerprints: { 'xiheFinding/v1': fingerprint(finding, seen) },
        })),
      },
    ],
  };
}

function toDescriptor({ id, name, level, title, help }: Rule) {
  return {
    id,
    name: name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: title },
    fullDescription: { text: `${title}。${help}` },
    help: { text: help },
    defaultConfiguration: { level },
  };
}

/** A relative URI reference (RFC 3986): Chinese, blanks and marks percent-encoded, slashes kept. */
function toUri(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The same finding has the same one wherever its line moved; the second of its kind in a file gets a number. */
function fingerprint({ rule, file, entryId, message }: Finding, seen: Map<string, number>): string {
  const key = [rule, file, entryId ?? '', message.replace(/:\d+/g, '')].join('\n');
  const n = seen.get(key) ?? 0;
  seen.set(key, n + 1);
  return `${stableHash(key)}:${n + 1}`;
}
