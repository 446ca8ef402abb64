import { closeSync, mkdirSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import { openStateAppend, readStateFile } from '../../stateFile.js';

/**
 * JSON lines in the state folder, in two files of bounded size (`queries.jsonl`, the older `queries.1.jsonl`). Best effort: a folder that
 * can't be written never fails what is logged.
 */
export class LineLog {
  private readonly file: string;
  private readonly older: string;

  /**
   * @param stateDir absolute
   * @param name of the file, without its ending
   * @param fileBytes size from which a new file is begun; the one before is kept, older ones are not
   */
  constructor(
    private readonly stateDir: string,
    name: string,
    private readonly fileBytes: number,
  ) {
    this.file = join(stateDir, `${name}.jsonl`);
    this.older = join(stateDir, `${name}.1.jsonl`);
  }

  /**
   * Adds a line, in one write that other processes' writes can't cut (O_APPEND). Never throws.
   *
   * @returns whether it was written
   */
  append(record: unknown): boolean {
    try {
      mkdirSync(this.stateDir, { recursive: true });
      this.rotate();
      const fd = openStateAppend(this.file, { readable: true });
      try {
        // A line that a crash cut must not take this one with it.
        writeSync(fd, `${endsTorn(fd, this.file) ? '\n' : ''}${JSON.stringify(record)}\n`);
      } finally {
        closeSync(fd);
      }
      return true;
    } catch {
      // Read-only, full, or a folder in its place: what is told does not depend on it.
      return false;
    }
  }

  /** Records in the order of their writing; lines that are none (cut by a crash, edited by hand) are skipped. */
  read<T extends z.ZodType>(schema: T): z.output<T>[] {
    return [this.older, this.file].flatMap(linesOf).flatMap((line) => {
      const record = parseLine(line, schema);
      return record === undefined ? [] : [record];
    });
  }

  /** Two processes may both find the file full; the second then finds a fresh one, and leaves it. */
  private rotate(): void {
    const size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
    if (size >= this.fileBytes) renameSync(this.file, this.older);
  }
}

/** Whether a file ends in the middle of a line. */
function endsTorn(fd: number, file: string): boolean {
  const { size } = statSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

function linesOf(file: string): string[] {
  return (readStateFile(file)?.toString('utf8') ?? '').split('\n');
}

function parseLine<T extends z.ZodType>(line: string, schema: T): z.output<T> | undefined {
  if (line.trim() === '') return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
