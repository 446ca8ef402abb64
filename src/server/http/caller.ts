import { XiheError } from '../../errors.js';
import type { Caller } from '../../tools/types.js';
import { EVERY_PROJECT, type KeyRing } from './keys.js';

/** Who makes a request, and what of the server is there for him. */
export interface HttpCaller extends Caller {
  /** Names of projects; {@link EVERY_PROJECT} stands for all. */
  projects: readonly string[];
}

/** Whoever asks where no key is set: a program of this machine, which may do what the command line may. */
const LOCAL: HttpCaller = { name: 'local', roles: ['reader', 'developer', 'ops'], projects: [EVERY_PROJECT] };

/**
 * Who makes the request, by its key alone: no header and no field says so of itself.
 *
 * @param authorization the header
 * @throws XiheError KEY_REQUIRED, KEY_INVALID
 */
export function callerBy(authorization: string | undefined, keys: KeyRing): HttpCaller {
  if (keys.isEmpty) return LOCAL;
  if (authorization === undefined)
    throw new XiheError('KEY_REQUIRED', '要有密钥才能查', { hint: '加上请求头 Authorization: Bearer 你的密钥。' });
  const [, secret] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? [];
  const key = secret === undefined ? undefined : keys.find(secret);
  if (key === undefined)
    throw new XiheError('KEY_INVALID', '密钥不对，或已经收回', {
      hint: '向管理员要一把新的；请求头写成 Authorization: Bearer 你的密钥。',
    });
  return { name: key.name, roles: key.roles, projects: key.projects };
}

/** Whether a caller may know of a project. */
export function mayUse({ projects }: HttpCaller, project: string): boolean {
  return projects.includes(EVERY_PROJECT) || projects.includes(project);
}

/** @throws XiheError KEY_FORBIDDEN */
export function assertRole({ name, roles }: HttpCaller, role: string): void {
  if (roles.includes(role)) return;
  throw new XiheError('KEY_FORBIDDEN', `密钥 ${name} 没有角色 ${role}`, {
    hint: `让管理员另发一把：xihe keys add 名字 --role ${role}。`,
  });
}

/**
 * The project that a request is about: the one that it names, else the only one that is there for the caller.
 *
 * @param served names of all projects
 * @throws XiheError KEY_FORBIDDEN, also for projects that there are not: a key learns nothing of others; PROJECT_REQUIRED,
 *   PROJECT_UNKNOWN
 */
export function projectFor(caller: HttpCaller, named: string | undefined, served: readonly string[]): string {
  const own = served.filter((name) => mayUse(caller, name));
  if (named === undefined) {
    if (own.length === 1) return own[0] as string;
    if (own.length === 0)
      throw new XiheError('KEY_FORBIDDEN', `密钥 ${caller.name} 能用的项目，这个服务都没有`, {
        hint: '让管理员核对密钥的 --project 和服务的 --project。',
      });
    throw new XiheError('PROJECT_REQUIRED', '有几个项目，要写明查哪一个', {
      hint: `在地址后面加 ?project=名字，可选：${own.join('、')}。`,
    });
  }
  if (!mayUse(caller, named))
    throw new XiheError('KEY_FORBIDDEN', '这把密钥不能用这个项目', {
      hint: own.length === 0 ? '让管理员核对密钥的项目。' : `它能用的有：${own.join('、')}。`,
    });
  if (served.includes(named)) return named;
  throw new XiheError('PROJECT_UNKNOWN', '没有这个项目', { hint: `有的是：${served.join('、')}。` });
}
