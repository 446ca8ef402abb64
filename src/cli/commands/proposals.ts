import pc from 'picocolors';
import { quoted, XiheError } from '../../errors.js';
import { today } from '../../knowledge/index.js';
import { type Proposal, Proposals, type ProposedEntry, planAccept, writeAccepted } from '../../zhcore/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore } from '../open.js';
import { print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';

type Settle = (id: string, options: ProposalOptions) => Promise<number>;

export interface ProposalOptions extends CommonOptions {
  all?: boolean;
}

const STATES = { open: '等待', accepted: '已采纳', dismissed: '已放弃' } as const;
const TYPES = { term: '术语', warning: '警示', step: '流程步骤' } as const;

/** `xihe proposals`: what people's remarks would teach the core, and what becomes of it. */
export async function proposals(
  act: string | undefined,
  id: string | undefined,
  options: ProposalOptions,
): Promise<number> {
  if (act === undefined) return listProposals(options);
  const settle = SETTLE[act];
  if (settle !== undefined && id !== undefined) return settle(id, options);
  const hint = 'xihe proposals 列出建议，xihe proposals accept <编号> 采纳，xihe proposals dismiss <编号> 放弃。';
  throw new XiheError('USAGE', settle === undefined ? `不认识的动作 ${quoted(act)}` : '少了建议的编号', { hint });
}

async function listProposals(options: ProposalOptions): Promise<number> {
  const { layout } = await openCore(options.repo);
  const all = new Proposals(layout.stateDir).list();
  const shown = options.all ? all : all.filter(({ state }) => state === 'open');
  if (options.json) printJson({ proposals: shown });
  else if (shown.length === 0)
    print('没有等着决定的建议。确认改动时写意见，或用 xihe feedback <会话> bad --why 说原因，规矩类的话会变成建议。');
  else
    print(
      [
        ...shown.map((one) => `${proposalLine(one)}${one.state === 'open' ? '' : pc.dim(`  ${STATES[one.state]}`)}`),
        '采纳：xihe proposals accept <编号>；放弃：xihe proposals dismiss <编号>',
      ].join('\n'),
    );
  return EXIT.done;
}

/** Writes one into the team's layer; the command is the person's yes. */
async function acceptProposal(id: string, options: ProposalOptions): Promise<number> {
  const { layout, core } = await openCore(options.repo);
  const kept = new Proposals(layout.stateDir);
  const proposal = kept.open(id);
  const plan = planAccept(proposal, {
    root: layout.root,
    layerDir: layout.layerDir,
    today: today(),
    playbookFile: (name) =>
      core
        .entries()
        .find(({ type, entry }) => type === 'playbook' && entry.id === name && entry.provenance.layer === 'project')
        ?.entry.provenance.file,
  });
  writeAccepted(plan, layout.root);
  kept.settle(id, 'accepted');
  if (options.json) printJson({ id, state: 'accepted', path: plan.path, added: plan.added });
  else print(`已写进 ${plan.path}：\n${plan.added.trimEnd()}\n觉得说得不够准，直接改这个文件；用 xihe lint 检查。`);
  return EXIT.done;
}

async function dismissProposal(id: string, options: ProposalOptions): Promise<number> {
  const { layout } = await openCore(options.repo);
  const kept = new Proposals(layout.stateDir);
  kept.open(id);
  kept.settle(id, 'dismissed');
  if (options.json) printJson({ id, state: 'dismissed', path: null, added: null });
  else print('已放弃，不会再问。');
  return EXIT.done;
}

const SETTLE: Partial<Record<string, Settle>> = { accept: acceptProposal, dismiss: dismissProposal };

/** One proposal in two lines. */
export function proposalLine({ id, entry, source }: Proposal): string {
  return `${pc.bold(id)}  ${TYPES[entry.type]}  ${visible(contentOf(entry))}\n  ${pc.dim(`来自 ${source}`)}`;
}

function contentOf(entry: ProposedEntry): string {
  if (entry.type === 'term') return `「${entry.keyword_ch}」→ ${entry.code_symbols.join('、')}`;
  if (entry.type === 'step') return `${entry.playbook} 加一步：${entry.step}`;
  const places = [...entry.when.paths, ...entry.when.symbols].join('、');
  return `${entry.danger}${places === '' ? '' : `（${places}）`}`;
}
