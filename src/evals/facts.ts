import type { Task } from './task.js';

/** What an answer, or a change's added lines, hold of what they must and must not. */
export interface FactCheck {
  /** Patterns that must be there and are not. */
  missing: string[];
  /** Patterns that must not be there and are. */
  wrong: string[];
}

/** Looks for a task's facts in a text. Full-width and half-width forms are the same, and so is letter case. */
export function checkFacts(facts: Task['facts'], text: string): FactCheck {
  const flat = text.normalize('NFKC');
  const holds = (pattern: string) => new RegExp(pattern.normalize('NFKC'), 'iu').test(flat);
  return {
    missing: facts.must.filter((pattern) => !holds(pattern)),
    wrong: facts.never.filter((pattern) => holds(pattern)),
  };
}

/** Whether nothing is missing and nothing is wrong. */
export function factsHold({ missing, wrong }: FactCheck): boolean {
  return missing.length + wrong.length === 0;
}
