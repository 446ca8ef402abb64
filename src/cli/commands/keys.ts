import pc from 'picocolors';
import { quoted, XiheError } from '../../errors.js';
import { addKey, EVERY_PROJECT, keysFile, readKeys, removeKey } from '../../server/http/keys.js';
import { EXIT } from '../exit-codes.js';
import { log, print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface KeysOptions extends CommonOptions {
  project?: string[];
  role?: string[];
}

/** `xihe keys`: who may ask the HTTP service. */
export async function keys(act: string | undefined, name: string | undefined, options: KeysOptions): Promise<number> {
  switch (act ?? 'list') {
    case 'list':
      return list(options);
    case 'add':
      return add(named(name, '要给密钥起个名字'), options);
    case 'remove':
      return remove(named(name, '要写收回哪一把'), options);
    default:
      throw new XiheError('USAGE', `不认识的动作「${quoted(act ?? '')}」`, { hint: '可用的有 list、add、remove。' });
  }
}

function named(name: string | undefined, why: string): string {
  if (name !== undefined) return name;
  throw new XiheError('USAGE', why, { hint: '例如 xihe keys add ci --project mall。' });
}

function list({ json }: KeysOptions): number {
  const file = keysFile();
  const known = readKeys(file).map(({ hash: _, ...rest }) => rest);
  if (json) printJson({ file, keys: known });
  else if (known.length === 0) print(`还没有密钥（${file}）。用 xihe keys add 名字 发一把。`);
  else
    print(
      known
        .map(({ name, projects, roles, created = '' }) => {
          const scope = projects.includes(EVERY_PROJECT) ? '全部项目' : projects.join('、');
          return `${pc.bold(name)}  ${visible(scope)}  ${roles.join('、')}  ${pc.dim(created.slice(0, 10))}`;
        })
        .join('\n'),
    );
  return EXIT.done;
}

function add(name: string, { project = [EVERY_PROJECT], role = ['reader'], json }: KeysOptions): number {
  const key = addKey(keysFile(), { name, projects: project, roles: role });
  if (json) printJson({ name, projects: project, roles: role, key });
  else {
    print(key);
    log('密钥只显示这一次，清单里只存它的哈希。用的时候加请求头 Authorization: Bearer 密钥；运行中的服务一秒内就认。');
  }
  return EXIT.done;
}

function remove(name: string, { json }: KeysOptions): number {
  removeKey(keysFile(), name);
  if (json) printJson({ removed: name });
  else print(`已收回 ${name}；运行中的服务一秒内就不认了。`);
  return EXIT.done;
}
