/** Codes of the network, and of Postgres when it stops, starts or has no room: the statement may be tried again later. */
const AWAY = /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0\d|53\d{3})$/;
/** What the driver says without a code. */
const AWAY_WORDS =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|not queryable/i;

/** Whether an error says that the database can't be reached now, and not that something is wrong with a statement. */
export function isStoreAway(e: unknown): boolean {
  const { code, message, errors } = (e ?? {}) as { code?: unknown; message?: unknown; errors?: unknown[] };
  if (AWAY.test(String(code ?? '')) || AWAY_WORDS.test(String(message ?? ''))) return true;
  // Node gives one error for all addresses of a name.
  return Array.isArray(errors) && errors.some(isStoreAway);
}
