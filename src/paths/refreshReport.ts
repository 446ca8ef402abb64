/** What a refresh found. */
export interface RefreshReport {
  added: string[];
  changed: string[];
  removed: string[];
  /** Files whose bytes were read. */
  read: number;
  /** In Chinese, when the tree was cut. */
  note?: string;
  /** Folders that could not be looked into: what they hold is unknown. */
  unreadable: string[];
}

/** Two looks as one: the second read what the first had brought. */
export function joinReports(first: RefreshReport, more: RefreshReport): RefreshReport {
  return {
    ...more,
    added: [...new Set([...first.added, ...more.added])],
    changed: [...new Set([...first.changed, ...more.changed])],
    removed: [...new Set([...first.removed, ...more.removed])],
    read: first.read + more.read,
  };
}
