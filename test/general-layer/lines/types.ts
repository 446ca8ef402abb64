/** Lines that a warning must fire on, and lines next to them that are fine. `path` where the warning looks at paths. */
export interface Lines {
  path?: string;
  bad: string[];
  good: string[];
}

/** By id of the warning. */
export type WarningLines = Record<string, Lines>;
