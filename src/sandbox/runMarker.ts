import { randomBytes } from 'node:crypto';
import { ownerState, selfOwner } from './liveness.js';
import { killOrphansOf } from './processTree.js';

/** By this variable what we started is found wherever it goes. Value: `pid.start.random`. */
export const MARKER = 'XIHE_RUN';

/** A value of {@link MARKER} for one command or service of this process. */
export function markerValue(): string {
  const { pid, start } = selfOwner();
  return `${pid}.${start}.${randomBytes(6).toString('hex')}`;
}

let swept = false;

/** Once in a process: kills what commands of a Xihe that was itself killed have left running. */
export function sweepOnce(): void {
  if (swept) return;
  swept = true;
  killOrphansOf(MARKER, (value) => {
    const [pid, start] = value.split('.').map(Number);
    if (!pid || start === undefined || Number.isNaN(start)) return false;
    return ownerState({ ...selfOwner(), pid, start }) === 'dead';
  });
}
