import { basename, resolve } from 'node:path';
import pc from 'picocolors';
import { quoted, XiheError } from '../../errors.js';
import { projectRoot } from '../../layout.js';
import { EXIT } from '../exit-codes.js';
import { log, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface ServeOptions extends CommonOptions {
  port: number;
  host: string;
  project?: string[];
  cors?: string[];
  rate: number;
  cache: number;
}

/** `xihe serve`: answers over HTTP until it is told to stop. */
export async function serve(options: ServeOptions): Promise<number> {
  const { startService } = await import('../../server/http/service.js');
  const projects = rootsOf(options);
  const service = await startService({
    projects,
    host: options.host,
    port: options.port,
    cors: options.cors ?? [],
    rate: options.rate,
    cacheAnswers: options.cache,
  });
  const names = Object.keys(projects);
  if (options.json)
    process.stdout.write(`${JSON.stringify({ url: service.url, projects: names, keys: service.needsKey })}\n`);
  else {
    const who = service.needsKey ? '要密钥' : '没有配密钥，只有本机连得到';
    log(`${pc.green('在听')} ${service.url}（${visible(names.join('、'))}；${who}）`);
    log(pc.dim(`接口说明 ${service.url}/docs，按 Ctrl-C 结束`));
  }
  await new Promise<void>((done) => {
    process.once('SIGINT', () => done());
    process.once('SIGTERM', () => done());
  });
  await service.close();
  return EXIT.done;
}

/** Project name → folder, of `--project name=folder`, else the project of `--repo` under the name of its folder. */
function rootsOf({ project = [], repo }: ServeOptions): Record<string, string> {
  if (project.length === 0) {
    const { root } = projectRoot(repo);
    return { [nameOf(root)]: root };
  }
  const roots = project.map((text): [string, string] => {
    const [, name, folder] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (name !== undefined && folder !== undefined) return [name.trim(), resolve(folder)];
    throw new XiheError('USAGE', `--project 要写成 名字=目录，不是「${quoted(text)}」`, {
      hint: '例如 --project mall=/srv/mall。',
    });
  });
  const twice = roots.find(([name], i) => roots.findIndex(([other]) => other === name) !== i)?.[0];
  if (twice === undefined) return Object.fromEntries(roots);
  throw new XiheError('USAGE', `两个项目都叫「${quoted(twice)}」`, { hint: '每个 --project 用不同的名字。' });
}

/** A folder's name, without what a project's name can't have. */
function nameOf(root: string): string {
  return (
    basename(root)
      .replace(/[^\p{L}\p{N}._-]/gu, '-')
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .slice(0, 64) || 'project'
  );
}
