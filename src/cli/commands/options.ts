/** Options that every command has. */
export interface CommonOptions {
  repo: string;
  json?: boolean;
}
