import { estimateTokens } from '../../text/index.js';
import type { InjectedEntry } from '../../zhcore/index.js';

/** Tokens that the note about what was left out may take, and its share of a small answer. */
const NOTE_TOKENS = 120;
const NOTE_SHARE = 0.2;
/** What is shortened to less than this says nothing any more. Tokens. */
const LEAST_TOKENS = 60;
/** Left out entries that are named by address: more would cost what leaving out saved. */
const NAMED = 3;
/** What JSON and line ends add to each part. Tokens. */
const PART_OVERHEAD = 3;

/** One entry of an answer, twice: as people read it and as programs do. Both say the same. */
export interface Part {
  /** The list of the structured answer that it belongs to. */
  list: string;
  text: string;
  data: Record<string, unknown>;
  /** The entry of the core that it is, for the log of what was given. */
  entry?: Pick<InjectedEntry, 'id' | 'type' | 'version' | 'source' | 'confidence'>;
  /** Its address as a resource, where it has one. */
  uri?: string;
  /** The same in at most so many tokens, undefined where that is too little; absent where half of it would mislead. */
  shorten?(tokens: number): Part | undefined;
}

/** An answer before it is fitted into its limit. */
export interface Answer {
  /** What stands beside the lists in the structured answer. */
  data: Record<string, unknown>;
  /** Lines before and after the lists. */
  before?: string[];
  after?: string[];
  /** The lists in the order of the text: their name in the structured answer, heading (none: no line), Chinese name. */
  lists: readonly { name: string; heading?: string; called: string }[];
  /** The entries, most wanted first. */
  parts: Part[];
  /** The text where there are none. */
  none: string;
  /** How to see what was left out, in Chinese. */
  more: string;
}

/** An answer within its limit. */
export interface Fitted {
  text: string;
  structured: Record<string, unknown>;
  /** The entries that are in it. */
  kept: Part[];
}

/**
 * Brings an answer below a limit. Clients show their model either the text or the structured answer (Claude Code and VS Code the latter), so
 * both stay below it. What is wanted most goes first; what does not fit is shortened where that is sound, else left out and counted.
 *
 * @param maxTokens for each of the two
 */
export function fitInto(answer: Answer, maxTokens: number): Fitted {
  const fixed = Math.max(
    estimateTokens([...(answer.before ?? []), ...(answer.after ?? [])].join('\n')) + headingTokens(answer),
    estimateTokens(JSON.stringify(answer.data)) + answer.lists.length * PART_OVERHEAD,
  );
  const room = maxTokens - fixed;
  const costs = answer.parts.map(costOf);
  const whole = costs.reduce((sum, cost) => sum + cost, 0);
  const noteRoom = Math.min(NOTE_TOKENS, maxTokens * NOTE_SHARE);
  const kept = whole <= room ? answer.parts : chosen(answer.parts, costs, room - noteRoom);
  return composed(answer, kept, kept.length < answer.parts.length ? omittedOf(answer, kept, noteRoom) : undefined);
}

function headingTokens({ lists }: Answer): number {
  return estimateTokens(lists.map(({ heading }) => heading ?? '').join('\n\n'));
}

/** The dearer of its two forms. */
function costOf({ text, data }: Part): number {
  return Math.max(estimateTokens(text), estimateTokens(JSON.stringify(data))) + PART_OVERHEAD;
}

function chosen(parts: readonly Part[], costs: readonly number[], room: number): Part[] {
  const kept: Part[] = [];
  let left = room;
  parts.forEach((part, i) => {
    let taken = part;
    let cost = costs[i] ?? 0;
    if (cost > left && part.shorten && left >= LEAST_TOKENS) {
      taken = part.shorten(left - PART_OVERHEAD) ?? part;
      cost = costOf(taken);
    }
    if (cost > left) return;
    left -= cost;
    kept.push(taken);
  });
  return kept;
}

function composed(answer: Answer, kept: Part[], note: Note | undefined): Fitted {
  const blocks = answer.lists.flatMap(({ name, heading }) => {
    const texts = kept.filter(({ list }) => list === name).map(({ text }) => text);
    return texts.length === 0 ? [] : [[...(heading ? [heading] : []), ...texts].join('\n')];
  });
  const text = [
    ...(answer.before ?? []),
    blocks.length > 0 ? blocks.join('\n\n') : answer.none,
    ...(note ? [note.text] : []),
    ...(answer.after ?? []),
  ].join('\n');
  const lists = answer.lists.map(({ name }) => [
    name,
    kept.filter(({ list }) => list === name).map(({ data }) => data),
  ]);
  return {
    text,
    structured: { ...answer.data, ...Object.fromEntries(lists), ...(note ? { omitted: note.data } : {}) },
    kept,
  };
}

/** What is said about entries that are missing. */
interface Note {
  text: string;
  data: { count: number; how: string; uris?: string[] };
}

/** How many entries are missing, which of them, and what to do about it; as many addresses as there is room for. */
function omittedOf({ parts, lists, more }: Answer, kept: readonly Part[], room: number): Note {
  // A shortened part is another object of the same entry.
  const has = new Set(kept.map(keyOf));
  const missing = parts.filter((part) => !has.has(keyOf(part)));
  const counts = lists.flatMap(({ name, called }) => {
    const n = missing.filter(({ list }) => list === name).length;
    return n === 0 ? [] : [`${called} ${n} 条`];
  });
  const addresses = missing.flatMap(({ uri }) => (uri ? [uri] : [])).slice(0, NAMED);
  for (let n = addresses.length; ; n--) {
    const uris = addresses.slice(0, n);
    const how = `${n > 0 ? '读对应的资源，或' : ''}${more}`;
    const data = { count: missing.length, how, ...(n > 0 ? { uris } : {}) };
    const text = `还有 ${missing.length} 条没写出来（${counts.join('，')}）。要看：${how}。${uris.join(' ')}`.trimEnd();
    if (n === 0 || Math.max(estimateTokens(text), estimateTokens(JSON.stringify(data))) <= room) return { text, data };
  }
}

function keyOf({ list, data }: Part): string {
  return `${list} ${data.id ?? data.path ?? data.source}`;
}
