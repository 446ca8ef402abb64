import type { History } from '../../src/history/index.js';
import type { Term } from '../../src/zhcore/index.js';
import { type Proposal, type ScanInput, type ScanResult, scanRepository } from '../../src/zhcore/scan/index.js';

/** Scans files that a test gives as texts. */
export function scanTexts(
  files: Record<string, string | undefined>,
  more: Partial<ScanInput> = {},
): Promise<ScanResult> {
  return scanRepository({ files: Object.keys(files).sort(), read: (path) => files[path], known: [], ...more });
}

/** The proposal for a word; fails the test by name where there is none. */
export function proposalFor({ proposals }: ScanResult, word: string): Proposal {
  const found = proposals.find(({ keyword_ch, aliases }) => keyword_ch === word || aliases.includes(word));
  if (found === undefined) throw new Error(`no proposal for ${word}: ${proposals.map((p) => p.keyword_ch).join(' ')}`);
  return found;
}

/** A term of the project's own layer. */
export function ownTerm(
  given: Partial<Term> & Pick<Term, 'id' | 'keyword_ch' | 'code_symbols'>,
  source = 'repo://src/a.ts',
): Term {
  return {
    aliases: [],
    risk: [],
    provenance: {
      source,
      layer: 'project',
      version: '0',
      status: 'verified',
      confidence: 0.95,
      file: 'knowledge/terms/own.yaml',
      line: 1,
    },
    ...given,
  };
}

/** Commits as a history gives them, newest first. */
export function commits(...list: { subject: string; files: string[] }[]): Pick<History, 'recent' | 'nowCalled'> {
  return {
    recent: (n) =>
      list
        .slice(0, n)
        .map((commit, i) => ({ hash: `${i}`.repeat(40), time: 1000 - i, author: 'a', body: '', ...commit })),
    nowCalled: (path) => path,
  };
}
