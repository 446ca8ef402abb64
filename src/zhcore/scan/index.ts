/** The public face of the scan: proposals out of a repository, and where they are written. Not in zhcore/index.ts, so that a cold look-up does not load it. */
export { type Bilingual, bilingualOf } from './bilingual.js';
export { hiddenPlace } from './hidden.js';
export { findPresence, SymbolPresence } from './presence.js';
export { NO_RECORD, RECORD_FILE, readRecord, type ScanRecord } from './record.js';
export { scanRepository } from './scan.js';
export { type Selection, selectProposals, type Wish, WRITE_SCORE } from './select.js';
export type {
  Evidence,
  EvidenceKind,
  GoneSymbol,
  MovedTo,
  Proposal,
  ScanHistory,
  ScanInput,
  ScanResult,
  ScanStats,
  SkipReason,
} from './types.js';
export { MEDIUM_SCORE, openRecord, SCANNED_FILE, type WritePlaces, type WriteReport, writeScanned } from './write.js';
