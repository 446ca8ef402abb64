import { OUTPUT_SCHEMAS } from '../../agent/output-schemas.js';
import { alertJson } from './alert.js';
import { auditCheckJson, auditJson } from './audit.js';
import { doctorModelJson } from './doctor-model.js';
import { evalJson, evalLintJson } from './eval.js';
import { importJson } from './import.js';
import { indexJson } from './index-knowledge.js';
import { errorsJson, feedbackJson, proposalsJson, settledJson } from './learning.js';
import { lintJson } from './lint.js';
import { mcpConfigJson } from './mcp.js';
import { policyJson } from './policy.js';
import { scanJson } from './scan.js';
import { keysAddJson, keysListJson, keysRemoveJson, serveJson } from './serve.js';
import { serverJson } from './server.js';
import { monthJson, staleListJson } from './stale.js';
import { statsJson } from './stats.js';
import { trustJson } from './trust.js';
import { watchJson } from './watch.js';

const { '（出错时）': onError, ...others } = OUTPUT_SCHEMAS;

/** Command → its document, of all commands: what `docs/json.md` is made from. */
export const ALL_OUTPUT_SCHEMAS = {
  ...others,
  'doctor --model': doctorModelJson,
  scan: scanJson,
  import: importJson,
  lint: lintJson,
  stale: staleListJson,
  'stale --month': monthJson,
  stats: statsJson,
  index: indexJson,
  watch: watchJson,
  trust: trustJson,
  'mcp --print-config': mcpConfigJson,
  audit: auditJson,
  'audit --check': auditCheckJson,
  'alert test / alert flush': alertJson,
  policy: policyJson,
  feedback: feedbackJson,
  proposals: proposalsJson,
  'proposals accept / proposals dismiss': settledJson,
  errors: errorsJson,
  serve: serveJson,
  'keys list': keysListJson,
  'keys add': keysAddJson,
  'keys remove': keysRemoveJson,
  server: serverJson,
  eval: evalJson,
  'eval lint': evalLintJson,
  '（出错时）': onError,
} as const;
