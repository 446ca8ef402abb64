/** Where text comes from and how far to trust it; every entry that is ever injected has one. */
export interface Provenance {
  /** Official address, `repo://path#line`, or who says so. */
  source: string;
  layer: 'general' | 'project';
  /** Content hash (12 hex digits of SHA-256) of the entry. */
  version: string;
  status: 'verified' | 'candidate';
  /** 0–1. */
  confidence: number;
  reviewedAt?: string;
  license?: string;
  /** First and last version or day for which it holds, when it says so. */
  versionSince?: string;
  versionUntil?: string;
  /** The file that defines the entry, relative to its layer's folder, and the line where it starts. */
  file: string;
  line: number;
}

/** A Markdown document of the knowledge base. */
export interface KnowledgeDocument {
  /** Path relative to the knowledge folder, POSIX. */
  id: string;
  title: string;
  keywords: string[];
  summary: string;
  sections: Record<string, string>;
  topic?: string;
  tags: string[];
  kind: 'official' | 'experience';
  versionSince?: string;
  versionUntil?: string;
  /** Module that it belongs to, when the front matter says so. */
  module?: string;
  body: string;
  /** 1-based line of the body's first line in the file. */
  bodyLine: number;
  provenance: Provenance;
}

/** 300–800 characters with a complete conclusion. */
export interface Chunk {
  /** `<document id>#<n>`; stable while the text is. */
  id: string;
  documentId: string;
  title: string;
  /** The headings above it, joined by ` › `. */
  heading: string;
  content: string;
  kind: 'prose' | 'code';
  /** Of a code chunk, the prose chunk it belongs to, and the other way round. */
  linked: string[];
  keywords: string[];
  module?: string;
  /** What it answers one by one, as texts, where that is more than one thing; see `topicsOf`. */
  topics?: string[];
  /** 1-based first and last line in the file. */
  line: number;
  endLine: number;
  provenance: Provenance;
}

/** A file that could not be loaded; the rest works on. */
export interface LoadProblem {
  file: string;
  line: number;
  /** In Chinese. */
  reason: string;
  code: 'YAML' | 'SCHEMA' | 'FRONT_MATTER' | 'READ' | 'DUPLICATE_ID';
  /** True when the last good version of the file or entry stays in force. */
  keptLastGood: boolean;
  /** `warning`: the entry is in force all the same (a BOM, an unknown field). */
  level: 'error' | 'warning';
}

export interface LookupPart {
  content: string;
  /** The file that holds it, e.g. `.xihe/knowledge/payment/errors.md`. */
  source: string;
  /** Where the file's content comes from: an official address, a review, … */
  origin?: string;
  title?: string;
  heading?: string;
  score?: number;
  version?: string;
  confidence?: number;
  /** The version or day until which it holds, when it says so; it may be over. */
  valid_until?: string;
  /** It is over by the clock. */
  expired?: true;
  /** The section that was asked for and is not there; `content` is empty then. */
  missing_section?: string;
}

/** The answer of `lookup_knowledge`. */
export interface LookupResult {
  found: boolean;
  primary:
    | (LookupPart & { match_type: 'exact_L0'; sections?: string[]; others?: { title: string; source: string }[] })
    | null;
  supplement: (LookupPart & { match_type: 'semantic_L1' }) | null;
  /** When nothing was found: titles of what comes nearest, to look up by name. Not an answer. */
  nearest?: { title: string; source: string }[];
  /** Vectors had no say (the reason in Chinese stands beside it): words answered alone. */
  degraded?: true;
  degraded_why?: string;
  /** Passages that have no vector yet; so far only their words find them. */
  pending?: number;
}
