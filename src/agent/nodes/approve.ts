import { askHuman } from '../ask-human.js';
import { type ApproveRequest, DANGER_NAMES, readVerdict } from '../human.js';
import type { NodeBody } from '../node.js';

const LEVEL = { none: 0, low: 1, medium: 2, high: 3 } as const;

/** Shows exactly what will happen and waits, by danger level; low danger runs and is reported after. */
export const approveNode: NodeBody = (state) => {
  const tool = state.tool!;
  const danger = tool.danger ?? 'high';
  const auto = state.request?.options.autoApprove ?? 'none';
  if (danger === 'low' || LEVEL[danger] <= LEVEL[auto]) return { tool: { ...tool, approved: true } };
  const request: ApproveRequest = {
    kind: 'approve',
    tool: tool.name!,
    danger,
    preview: tool.preview,
    actionRequests: [
      {
        name: tool.name!,
        args: tool.input,
        description: `${tool.preview}\n危险等级：${DANGER_NAMES[danger]}（${tool.dangerWhy}）`,
      },
    ],
    reviewConfigs: [{ actionName: tool.name!, allowedDecisions: ['approve', 'reject'] }],
  };
  const verdict = askHuman(request, readVerdict).verdict;
  // Words that are neither yes nor no are no permission to act.
  return { tool: { ...tool, approved: verdict === 'approve' } };
};
