import * as z from 'zod';
import { XiheError } from '../../errors.js';
import { builtIn } from '../contract.js';
import { locateForWrite } from '../locate.js';
import type { ToolContext, WorkPart } from '../types.js';

/** Parts at most: more are no longer overseen by whoever merges them. */
const MAX_PARTS = 4;

const input = z.object({
  tasks: z
    .array(
      z.object({
        title: z.string().min(1).describe('这一份的名字，十来个字'),
        instruction: z.string().min(1).describe('要做什么，写完整：接手的人只看得到这一段、计划和整个请求'),
        files: z.array(z.string()).min(1).describe('这一份会改或新建的文件，相对项目根目录'),
        needs: z.array(z.string()).default([]).describe('要等哪几份先做完，写它们的名字；没有就不写'),
      }),
    )
    .min(2)
    .max(MAX_PARTS)
    .describe('2 到 4 份，改的文件不能重复，谁也不等谁'),
});

/** Hands independent parts of the work to sub-agents that work at the same time. */
export const splitWork = builtIn<z.infer<typeof input>, { parts: WorkPart[] }>({
  name: 'split_work',
  description: '把互不相干的几份工作交给几个子智能体同时做，合并后再接着做',
  input,
  examples: [
    {
      tasks: [
        { title: '关单日志', instruction: '给 cancelExpired 加上日志', files: ['src/order/order-service.ts'] },
        { title: '优惠券上限', instruction: '把优惠券的上限改成 10 张', files: ['src/coupon/coupon-service.ts'] },
      ],
    },
  ],
  danger: 'low',
  readOnly: false,
  idempotent: true,
  aclRole: 'developer',
  timeoutMs: 20_000,
  effect: 'changeset',
  async run({ tasks }, ctx) {
    const { split } = ctx;
    if (!split || split.why !== undefined) throw refused(split?.why ?? '这里不能分');
    if (tasks.length > split.most) throw refused(`最多同时做 ${split.most} 份（run.maxAgents）`);
    const parts = tasks.map(({ title, instruction, files }) => ({ title, instruction, files: placesOf(files, ctx) }));
    assertIndependent(parts, tasks);
    split.take(parts);
    return { parts };
  },
  render: ({ parts }) => `分成 ${parts.length} 份同时做：${parts.map(({ title }) => title).join('、')}。`,
});

function placesOf(files: readonly string[], ctx: ToolContext): string[] {
  return [...new Set(files.map((file) => locateForWrite(ctx, file).path))];
}

/** @throws XiheError SPLIT_REFUSED with the reason */
function assertIndependent(parts: readonly WorkPart[], tasks: z.infer<typeof input>['tasks']): void {
  const waits = tasks.find(({ needs }) => needs.length > 0);
  if (waits) throw refused(`「${waits.title}」要等「${waits.needs.join('」「')}」先做完，不能同时做`);
  for (const [i, part] of parts.entries())
    for (const other of parts.slice(i + 1)) {
      if (part.title === other.title) throw refused(`两份都叫「${part.title}」`);
      const both = part.files.filter((file) => other.files.includes(file));
      if (both.length > 0) throw refused(`「${part.title}」和「${other.title}」都要改 ${both.join('、')}`);
      const named = [
        [part, other],
        [other, part],
      ].find(([one, another]) => one!.instruction.includes(another!.title));
      if (named) throw refused(`「${named[0]!.title}」里提到了「${named[1]!.title}」，像是要等它`);
    }
}

function refused(why: string): XiheError {
  return new XiheError('SPLIT_REFUSED', `没有分开：${why}`, { hint: '把有关联的合成一份，或者不分，自己一步步做。' });
}
