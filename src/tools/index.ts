export { ACT_NAMES, commandIn, nameDoes } from './acts.js';
export { toLangChainTool, toOpenAiTool } from './adapters.js';
export { openAlerts } from './builtin/alert-tools.js';
export { commandFailed, renderRun, runInScratch, withoutCopy } from './builtin/command-tools.js';
export { lookupKnowledge, RENDER_LIMITS, renderLookup, zhCoreQuery } from './builtin/core-tools.js';
export { renderCandidates } from './builtin/path-tools.js';
export { splitWork } from './builtin/split-work.js';
export { TEST_OUTPUT_BYTES } from './builtin/test-tools.js';
export { approvalOf, callTool, MAX_RESULT_TOKENS, parseInput } from './call.js';
export { type ContractFault, contractFaults, defineTool, jsonSchemaOf, MAX_DESCRIPTION } from './contract.js';
export { clockOf, factsOf, sizeOf } from './file-facts.js';
export { DEFAULT_MODEL_SECONDS, DEFAULT_TOOL_SECONDS, toolCeilingMs } from './limits.js';
export { MCP_FILE, McpHub, type McpStatus, type McpTool, mcpDestinations, variablesOf } from './mcp/index.js';
export {
  irreversible,
  Policy,
  type PolicyDecision,
  type PolicyRequest,
  type PolicyVerdict,
  policyRequest,
} from './policy.js';
export {
  POLICY_FILE,
  type PolicyLayer,
  type PolicyProblem,
  type PolicyRule,
  policyRuleSchema,
} from './policyFile.js';
export { previewOf } from './preview.js';
export { baselineOf, comparedWith, renderVerdict, type TestVerdictOfChange } from './project-tests.js';
export {
  BUILTIN_NAMES,
  EXECUTE_TOOLS,
  missingParameters,
  PRESELECT,
  type Preselected,
  READ_TOOLS,
  ToolRegistry,
} from './registry.js';
export { maskPatch } from './secret-files.js';
export { loadTeamTools, type TeamTool, type TeamToolProblem, teamDestinations } from './team-tools.js';
export { readTestOutput, type TestFailure, type TestReport, testSummary } from './test-reports/index.js';
export type { AnyContract, Caller, DangerCheck, ToolContext, ToolContract, ToolOutcome, WorkPart } from './types.js';
