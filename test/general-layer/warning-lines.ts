import { CACHE_LOG_LINES } from './lines/cache-log.js';
import { FRONT_LINES } from './lines/front.js';
import { JAVA_LINES } from './lines/java.js';
import { MONEY_LINES } from './lines/money.js';
import { OPS_LINES } from './lines/ops.js';
import { SECURITY_LINES } from './lines/security.js';
import { SQL_LINES } from './lines/sql.js';
import { TIME_LINES } from './lines/time.js';
import type { WarningLines } from './lines/types.js';
import { WEB_LINES } from './lines/web.js';

/** Every warning that ships, with the lines that prove it. */
export const WARNING_LINES: WarningLines = {
  ...MONEY_LINES,
  ...SECURITY_LINES,
  ...WEB_LINES,
  ...SQL_LINES,
  ...TIME_LINES,
  ...JAVA_LINES,
  ...CACHE_LOG_LINES,
  ...FRONT_LINES,
  ...OPS_LINES,
};
