import { dangerOf } from '../sandbox/index.js';
import { nameDoes } from './acts.js';
import type { TeamTool } from './team-tools.js';
import type { AnyContract } from './types.js';

/** Acts that can't be undone, as names of tools and programs say them. */
const ACTS: Readonly<Record<string, string>> = {
  restart: '重启',
  reboot: '重启',
  stop: '停止服务',
  kill: '停止服务',
  shutdown: '停止服务',
  deploy: '部署',
  release: '发布',
  publish: '发布',
  rollout: '发布',
  rollback: '回滚',
  migrate: '迁移数据库',
  restore: '恢复数据',
  delete: '删除',
  remove: '删除',
  drop: '删除',
  purge: '清空',
  truncate: '清空',
  clean: '清空',
  clear: '清空',
  flush: '清空',
  reset: '重置',
  overwrite: '覆盖',
  upload: '覆盖上传',
};

/** The same in Chinese descriptions. */
const SAID = /重启|停服|停止|关停|部署|发布|上线|回滚|删除|删掉|清空|清理|清除|覆盖|重置|迁移|恢复数据|还原/;

/**
 * Whether a call can't be taken back, and how that is known: it waits for a person whatever `--yes` says. Only what acts on the world
 * can: a staged edit is taken back by `xihe undo`, and a copy of the project is thrown away.
 *
 * It reads names, descriptions and the command, so it is a guess that would rather ask too often.
 *
 * @param input parsed parameters
 * @returns the reason in Chinese, or undefined
 */
export function irreversible(contract: AnyContract, input: Record<string, unknown>): string | undefined {
  if (contract.effect !== 'outside') return undefined;
  const act = Object.keys(ACTS).find((word) => nameDoes(contract.name, word));
  if (act !== undefined) return `${ACTS[act]}不能撤销`;
  const said = SAID.exec(contract.description)?.[0];
  if (said !== undefined) return `${said}不能撤销`;
  const argv = (contract as Partial<TeamTool>).commandLine?.(input) ?? [];
  const program =
    /[^/\\]*$/
      .exec(argv[0] ?? '')?.[0]
      .toLowerCase()
      .split(/[^a-z]+/) ?? [];
  const does = program.find((word) => Object.hasOwn(ACTS, word));
  if (does !== undefined) return `${ACTS[does]}不能撤销`;
  const check = argv.length === 0 ? undefined : dangerOf(argv.map(quotedWord).join(' '));
  return check?.danger === 'high' ? `${check.why}，不能撤销` : undefined;
}

/** One argument as one word of a shell line: only to be classified, never run. */
function quotedWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
