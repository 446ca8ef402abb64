import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, isBroken, openInMemory, openSqlite, type Schema } from '../sqlite.js';

/** Paths that one run keeps hot: more are no longer what it works on. */
export const MAX_HOT = 40;
/** Runs whose hot paths are kept. */
const MAX_SCOPES = 30;
/** After this many uses of other paths a use counts half. */
const HALF_LIFE = 20;
/** What other runs of the project use says less about this one. */
const OTHER_RUNS = 0.3;
/** What a use says about the next step: who edits a file comes back to it. */
const WEIGHT = { expand: 1, read: 2, edit: 3 } as const;
/** Counted up when summaries are made otherwise, so that those of an older Xihe are made anew. */
const SUMMARY_FORMAT = 1;

const FILE = 'hotspots.sqlite';
const VERSION = 1;
/** One row for each path of a run; `tick` counts uses over all runs, so that recency needs no clock. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS hot (
  scope TEXT NOT NULL,
  path TEXT NOT NULL,
  score REAL NOT NULL,
  tick INTEGER NOT NULL,
  version TEXT NOT NULL,
  summary TEXT NOT NULL,
  summary_version TEXT NOT NULL,
  PRIMARY KEY (scope, path)
) WITHOUT ROWID;
PRAGMA user_version = ${VERSION};`;

export type Use = keyof typeof WEIGHT;

export interface Hotspot {
  path: string;
  /** One line, of the file as it is now. */
  summary: string;
  /** Uses, each worth half after {@link HALF_LIFE} others. */
  score: number;
}

/** What is known of a file now. */
export interface FileFact {
  /** Changes whenever the content does. */
  version: string;
  summary: string;
}

/** Who can tell what files are now: the path context. A file that is gone has no fact. */
export interface FactSource {
  facts(paths: readonly string[]): Promise<Map<string, FileFact>>;
  /** Whether whoever asks has an edit of this file staged: then its fact holds for nobody else. */
  isStaged?(path: string): boolean;
}

interface Row {
  scope: string;
  path: string;
  score: number;
  tick: number;
  version: string;
  summary: string;
  summary_version: string;
}

/**
 * The paths that runs have used lately, shared by all sub-agents of a run and by all processes of a project. They are hints: where
 * nothing can be kept they are those of this process, and without a database there are none; nothing here ever fails a run.
 *
 * A row is never believed by itself. Its file version and its summary version are compared with the file as it is when the row is
 * given out: what changed gets its new summary, what is gone goes. Sub-agents that stage edits see their own text of a file and nobody
 * else's: a summary of what another one has staged never matches the version that the reader sees, and is not given out.
 */
export class Hotspots {
  readonly #file: string;
  #db: Database | null | undefined;

  constructor(stateDir: string) {
    this.#file = join(stateDir, FILE);
  }

  /**
   * Writes down that a run used a file.
   *
   * @param scope of the run: sub-agents that share it share what is hot
   * @param source asked for the file's version and summary; a path without them (a folder, a file that is staged only) is not kept
   */
  async use(scope: string, path: string, kind: Use, source: FactSource): Promise<void> {
    const fact = (await source.facts([path])).get(path);
    if (fact)
      this.#quietly((db) => db.transaction(() => bump(db, scope, path, WEIGHT[kind], fact)).immediate(), undefined);
  }

  /**
   * The hottest paths for a run, best first: its own, then what other runs of the project use.
   *
   * @param n at most {@link MAX_HOT}
   */
  async top(scope: string, n: number, source: FactSource): Promise<Hotspot[]> {
    const rows = this.#quietly((db) => db.prepare('SELECT * FROM hot').all() as Row[], []);
    const ranked = rankRows(rows, scope).slice(0, MAX_HOT);
    const facts = await source.facts(ranked.map(({ path }) => path));
    // A reader's own staged text is no reason to change what others read.
    const shared = ranked.map(({ path }) => path).filter((path) => !source.isStaged?.(path));
    this.#correct(rows, facts, new Set(shared));
    return ranked
      .flatMap(({ path, score }) => {
        const fact = facts.get(path);
        return fact ? [{ path, score, summary: fact.summary }] : [];
      })
      .slice(0, Math.max(0, Math.min(n, MAX_HOT)));
  }

  /** Closes the database; the next use opens it again. */
  close(): void {
    this.#db?.close();
    this.#db = undefined;
  }

  /** Brings the rows that were looked at up to what their files are: the double check. */
  #correct(rows: readonly Row[], facts: ReadonlyMap<string, FileFact>, looked: ReadonlySet<string>): void {
    const wrong = rows.filter((row) => {
      const fact = facts.get(row.path);
      return looked.has(row.path) && (fact === undefined || !isCurrent(row, fact));
    });
    if (wrong.length === 0) return;
    this.#quietly((db) => db.transaction(() => correctAll(db, wrong, facts)).immediate(), undefined);
  }

  #quietly<T>(work: (db: Database) => T, otherwise: T): T {
    try {
      this.#db ??= open(this.#file);
      return this.#db === null ? otherwise : work(this.#db);
    } catch {
      return otherwise;
    }
  }
}

/** @returns null where there is no driver at all */
function open(file: string): Database | null {
  const schema = { version: VERSION, sql: SCHEMA };
  try {
    return openSqlite(file, schema);
  } catch (e) {
    if (isBroken(e)) return openAnew(file, schema);
    return otherwiseInMemory(schema);
  }
}

/** Hints are not worth mending: a broken file makes room for a new one. */
function openAnew(file: string, schema: Schema): Database | null {
  try {
    for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
    return openSqlite(file, schema);
  } catch {
    return otherwiseInMemory(schema);
  }
}

/** A state that can't be written, or one of a newer Xihe: this process keeps its own. */
function otherwiseInMemory(schema: Schema): Database | null {
  try {
    return openInMemory(schema);
  } catch {
    return null;
  }
}

function summaryVersion(version: string): string {
  return `${SUMMARY_FORMAT}:${version}`;
}

function isCurrent(row: Row, fact: FileFact): boolean {
  return row.version === fact.version && row.summary_version === summaryVersion(fact.version);
}

function decayed(score: number, ticks: number): number {
  return score * 0.5 ** (Math.max(0, ticks) / HALF_LIFE);
}

function bump(db: Database, scope: string, path: string, weight: number, fact: FileFact): void {
  const { now } = db.prepare('SELECT COALESCE(MAX(tick), 0) + 1 AS now FROM hot').get() as { now: number };
  const before = db.prepare('SELECT score, tick FROM hot WHERE scope = ? AND path = ?').get(scope, path) as
    | Pick<Row, 'score' | 'tick'>
    | undefined;
  const score = weight + (before ? decayed(before.score, now - before.tick) : 0);
  db.prepare(
    'INSERT OR REPLACE INTO hot (scope, path, score, tick, version, summary, summary_version) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(scope, path, score, now, fact.version, fact.summary, summaryVersion(fact.version));
  // Least recently used ones go first, of paths and of runs.
  db.prepare(
    'DELETE FROM hot WHERE scope = ? AND path NOT IN (SELECT path FROM hot WHERE scope = ? ORDER BY tick DESC LIMIT ?)',
  ).run(scope, scope, MAX_HOT);
  db.prepare(
    'DELETE FROM hot WHERE scope NOT IN (SELECT scope FROM hot GROUP BY scope ORDER BY MAX(tick) DESC LIMIT ?)',
  ).run(MAX_SCOPES);
}

function correctAll(db: Database, rows: readonly Row[], facts: ReadonlyMap<string, FileFact>): void {
  for (const row of rows) correct(db, row, facts.get(row.path));
}

function correct(db: Database, row: Row, fact: FileFact | undefined): void {
  if (fact === undefined) db.prepare('DELETE FROM hot WHERE path = ?').run(row.path);
  else
    db.prepare('UPDATE hot SET version = ?, summary = ?, summary_version = ? WHERE scope = ? AND path = ?').run(
      fact.version,
      fact.summary,
      summaryVersion(fact.version),
      row.scope,
      row.path,
    );
}

function rankRows(rows: readonly Row[], scope: string): { path: string; score: number }[] {
  const now = rows.reduce((last, { tick }) => Math.max(last, tick), 0);
  const scores = new Map<string, number>();
  for (const row of rows) {
    const share = row.scope === scope ? 1 : OTHER_RUNS;
    scores.set(row.path, (scores.get(row.path) ?? 0) + share * decayed(row.score, now - row.tick));
  }
  return [...scores]
    .map(([path, score]) => ({ path, score }))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}
