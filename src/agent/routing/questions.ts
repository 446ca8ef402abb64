import { loadGrammar } from './data.js';

/** A mark of a question in a clause. */
export interface QuestionMark {
  word: string;
  /** `why`: wants an explanation; `what`: asks for a thing (哪里, 多少); `final`: a particle or ? at the end. */
  kind: 'why' | 'what' | 'final';
  /** Offset of the word in the text that was looked at. */
  at: number;
}

/**
 * Looks for question words anywhere and for particles at the end.
 *
 * @param folded a folded clause, or its rest behind 能不能 and the like
 */
export function questionIn(folded: string): QuestionMark | undefined {
  const g = loadGrammar();
  const text = folded.replace(g.notQuestions, (word) => '□'.repeat(word.length));
  const english = g.englishQuestion.exec(text);
  if (english) return { word: english[0].trim(), kind: 'why', at: 0 };
  const how = g.howIs.exec(text);
  const why = g.why.exec(text);
  if (why && !(how && how.index === why.index)) return { word: why[0], kind: 'why', at: why.index };
  const what = g.asking.exec(text);
  if (what) return { word: what[0], kind: 'what', at: what.index };
  if (how) return { word: how[0], kind: 'final', at: how.index };
  const aNotA = g.aNotA.exec(text);
  if (aNotA) return { word: aNotA[0], kind: 'what', at: aNotA.index };
  const final = g.finals.exec(text) ?? g.finalQuestion.exec(text);
  if (final) return { word: final[0].trim(), kind: 'final', at: final.index };
  const tail = g.tagQuestion.exec(text);
  if (tail) return { word: '吧', kind: 'final', at: text.length - 1 };
  return undefined;
}
