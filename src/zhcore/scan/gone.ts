import type { Outline } from '../../code/index.js';
import type { Term } from '../types.js';
import type { GoneSymbol, Mention, ScanHistory } from './types.js';
export class GoneSearch {
  constructor(_known: readonly Term[]) {}
  look(_path: string, _text: string, _outline: Outline): void {}
  find(_mentions: readonly Mention[], _history: ScanHistory | undefined): GoneSymbol[] {
    return [];
  }
}
