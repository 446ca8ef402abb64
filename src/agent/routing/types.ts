/** What an utterance asks for. `tool` acts on a system or runs something, `edit` changes the repository. */
export type IntentKind = 'edit' | 'qa' | 'tool' | 'chat';

/** Which layer decided: the grammar, the samples, the classifier, or nobody (then it is a question). */
export type RouteLayer = 'rule' | 'similar' | 'learned' | 'refused';

export type TaskType = 'general' | 'refactor' | 'bugfix' | 'feature';

/** One thing that the user wants, in the order in which it was said. */
export interface Intent {
  kind: IntentKind;
  /** The part of the utterance that says so, as it was written. */
  text: string;
  layer: RouteLayer;
  /** In Chinese: which word or sample decided, and with which score. */
  evidence: string;
  /** For `tool`: the kind of act (`run_tests`, `rollback`, …); README.md lists them. A hint, never a choice of tool. */
  toolHint?: string;
  /** For `edit`: what kind of change. */
  taskType?: TaskType;
}

export interface RouteDecision {
  /** At least one. */
  intents: Intent[];
}

/** What the thread was about before, for follow-ups like 那就这么做吧. */
export interface PreviousIntent {
  kind: IntentKind;
  tool?: string;
}

/** A sample utterance; a team adds its own. */
export interface Sample {
  text: string;
  kind: IntentKind;
  tool?: string;
}

export interface RouteOptions {
  previous?: PreviousIntent;
  /** Beside those that ship. */
  samples?: readonly Sample[];
  /** Cosine (0–1) below which the similarity layer does not decide. */
  threshold?: number;
}

/** One way to understand a verb; see the head of lexicon.yaml. */
export interface Sense {
  kind: IntentKind;
  hint?: string;
  task?: TaskType;
  object?: RegExp;
  after?: RegExp;
  not?: RegExp;
}

export interface VerbEntry {
  word: string;
  senses: readonly Sense[];
  takes: ReadonlySet<string>;
  startOnly: boolean;
}

/** A piece of a clause: a verb, an ordinary word that we know, a Latin run, or one character. */
export interface Token {
  text: string;
  start: number;
  end: number;
  verb?: VerbEntry;
  coverb?: boolean;
}

/** A stretch of the utterance between punctuation marks or connectives. */
export interface Clause {
  /** As it was written. */
  original: string;
  /** Offsets in the utterance; `end` includes the punctuation behind it. */
  start: number;
  end: number;
  /** Folded, quotations blanked by □, mistyped words repaired. */
  folded: string;
  /** The connective in front of it (顺便, 然后, …). */
  connective?: string;
  /** Number of the sentence that it is in. */
  sentence: number;
}

/** What one clause says. */
export type Verdict =
  | { type: 'act'; kind: IntentKind; verb: string; how: Strength; hint?: string; task?: TaskType; evidence: string }
  | { type: 'question'; evidence: string; firm: boolean }
  | { type: 'ban'; verb: string; hint?: string; all: boolean; kind: IntentKind }
  | { type: 'talk'; evidence: string }
  | { type: 'chat'; evidence: string }
  | { type: 'wish'; kind: IntentKind; verb: string; hint?: string }
  | { type: 'tag' }
  | { type: 'nothing' };

/** How clearly a clause asks: 帮我…, 能不能…, 我想…, 把…, a verb in front, or a verb with 一下 behind it. */
export type Strength = 'asked' | 'polite' | 'wish' | 'disposal' | 'bare' | 'marked';
