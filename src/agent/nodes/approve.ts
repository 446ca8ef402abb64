import { type PolicyVerdict, policyRequest } from '../../tools/index.js';
import { askHuman } from '../ask-human.js';
import { type ApproveRequest, DANGER_NAMES, readVerdict } from '../human.js';
import { definitionOf, gone, type NodeBody } from '../node.js';
import type { ToolRun } from '../state.js';
import { callerOf, record } from '../tool-context.js';

/**
 * Shows exactly what will happen and waits, as the rules and the danger say; what is harmless runs and is reported after. LangGraph
 * reruns this node from its start when the answer comes: before the interrupt it only reads.
 */
export const approveNode: NodeBody = async (state, env) => {
  const tool = state.tool!;
  const contract = await definitionOf(tool.name!, env);
  if (typeof contract === 'string') return { tool: { ...tool, outcome: gone(contract) } };
  const auto = state.request?.options.autoApprove ?? 'none';
  const roles = callerOf(state).roles;
  // The danger that was shown counts: a contract that changed meanwhile is found by `act`.
  const request = { ...policyRequest(contract, tool.input, roles, auto), danger: tool.danger ?? 'high' };
  const found = env.project.policy.decide(request);
  if (found.decision === 'deny') {
    record(state, env, { what: tool.name!, args: tool.input, result: 'COMMAND_DENIED', durationMs: 0 });
    return { tool: { ...tool, outcome: denied(tool, found) } };
  }
  if (tool.outcome) return {};
  if (!roles.includes(contract.aclRole)) return { tool: { ...tool, outcome: lacksRole(tool, contract.aclRole) } };
  if (found.decision === 'allow') return { tool: { ...tool, approved: true } };
  const verdict = askHuman(approveRequest(tool, found, request.irreversible), readVerdict).verdict;
  // Words that are neither yes nor no are no permission to act.
  return { tool: { ...tool, approved: verdict === 'approve' } };
};

function approveRequest(tool: ToolRun, found: PolicyVerdict, lasting: string | undefined): ApproveRequest {
  const danger = tool.danger ?? 'high';
  const reasons = [
    tool.dangerWhy,
    lasting,
    ...(found.rule ? [`规则：${found.why}${placeOf(found)}`] : found.passedOver),
  ];
  const why = reasons.filter(Boolean).join('；');
  const preview = [tool.preview, ...tool.now.map((line) => `现在：${line}`)].join('\n');
  return {
    kind: 'approve',
    tool: tool.name!,
    danger,
    preview,
    actionRequests: [
      {
        name: tool.name!,
        args: tool.input,
        description: `${preview}\n危险等级：${DANGER_NAMES[danger]}（${why}）`,
      },
    ],
    reviewConfigs: [{ actionName: tool.name!, allowedDecisions: ['approve', 'reject'] }],
  };
}

function placeOf({ rule }: PolicyVerdict): string {
  return rule === undefined ? '' : `（${rule.file}:${rule.line}）`;
}

/** Nobody is asked to agree to what is refused afterwards. */
function lacksRole(tool: ToolRun, role: string): NonNullable<ToolRun['outcome']> {
  return {
    ok: false,
    code: 'COMMAND_DENIED',
    text: `没有角色 ${role}，不能用 ${tool.name}，没有执行。请有权限的同事来做，或让管理员给你这个角色。`,
  };
}

/** What a rule denies is no refusal by the user, and is said as what it is. */
function denied(tool: ToolRun, found: PolicyVerdict): NonNullable<ToolRun['outcome']> {
  const text = `规则不许 ${tool.name}：${found.why}${placeOf(found)}，没有执行。`;
  return { ok: false, code: 'COMMAND_DENIED', text };
}
