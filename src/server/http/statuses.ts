import type { XiheErrorCode } from '../../errors.js';

/** Every code that a request can end with, and its HTTP status. What is not here is a fault of the server. */
export const STATUS_OF: Readonly<Partial<Record<XiheErrorCode, number>>> = {
  BODY_NOT_JSON: 400,
  BODY_NOT_UTF8: 400,
  REQUEST_INVALID: 400,
  TOOL_INPUT_INVALID: 400,
  USAGE: 400,
  PATH_INVALID: 400,
  PATH_OUTSIDE_PROJECT: 400,
  PROJECT_REQUIRED: 400,
  KEY_REQUIRED: 401,
  KEY_INVALID: 401,
  KEY_FORBIDDEN: 403,
  ORIGIN_NOT_ALLOWED: 403,
  ENTRY_NOT_FOUND: 404,
  PATH_NOT_FOUND: 404,
  PROJECT_UNKNOWN: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BODY_TOO_LARGE: 413,
  BODY_TYPE: 415,
  HOST_NOT_ALLOWED: 421,
  PROJECT_BUSY: 429,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  PROJECT_UNAVAILABLE: 503,
  SHUTTING_DOWN: 503,
  STATE_UNWRITABLE: 503,
  // The server gave up, or closed the project under the request: to be tried again.
  CANCELLED: 503,
  REQUEST_TIMEOUT: 504,
};

const SERVER_FAULT = 500;

/** The HTTP status of a code. */
export function statusOf(code: XiheErrorCode): number {
  return STATUS_OF[code] ?? SERVER_FAULT;
}
