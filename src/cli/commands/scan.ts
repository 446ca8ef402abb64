import { join } from 'node:path';
import pc from 'picocolors';
import { XiheError } from '../../errors.js';
import type { ProjectLayout } from '../../layout.js';
import type { ScanResult } from '../../zhcore/scan/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore, reportProblems, settingsOf } from '../open.js';
import { log, print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';
import { type Outcome, toJson, toText } from './scan-text.js';

interface ScanOptions extends CommonOptions {
  write?: boolean;
  top?: number;
}

/** Shorter work needs no word about it; after that one line in this many milliseconds. */
const QUIET_MS = 1_000;
const EVERY_MS = 1_000;

/** `xihe scan`: proposes terms out of the repository, says which symbols are gone, and with `--write` adds the candidates. */
export async function scan(given: string[], options: ScanOptions): Promise<number> {
  const stop = new AbortController();
  const onInterrupt = () => {
    log('\n正在停下…（再按一次立即退出）');
    process.once('SIGINT', () => process.exit(EXIT.interrupted));
    stop.abort();
  };
  process.once('SIGINT', onInterrupt);
  try {
    return await scanProject(given, options, stop.signal);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

async function scanProject(given: string[], options: ScanOptions, signal: AbortSignal): Promise<number> {
  const [{ layout, core }, room, { today }, { lockPath, withFileLock }] = await Promise.all([
    openCore(options.repo),
    import('../../zhcore/scan/index.js'),
    import('../../knowledge/index.js'),
    import('../../sandbox/index.js'),
  ]);
  reportProblems(core.problems, options.json);
  // Before the long part: a record that can't be read stops the scan, with or without --write.
  const record = room.openRecord(layout.layerDir);
  const known = core.entries().flatMap(({ type, entry }) => (type === 'term' ? [entry] : []));
  const result = await scanFiles(layout, given, signal, {
    known,
    modules: core.modules,
    recorded: new Set(record.proposed.keys()),
    bilingual: room.bilingualOf(core.lexiconGroups, known),
  });
  const wish = options.top === undefined ? { from: room.WRITE_SCORE } : { top: options.top };
  const selection = room.selectProposals(result.proposals, record, known, wish);
  const written = options.write
    ? withFileLock(lockPath(layout.stateDir, 'scan'), () =>
        room.writeScanned(layout, selection.fresh, result.gone, today()),
      )
    : undefined;
  const files = { file: `.xihe/${room.SCANNED_FILE}`, record: `.xihe/${room.RECORD_FILE}` };
  const outcome: Outcome = {
    result,
    selection,
    medium: room.MEDIUM_SCORE,
    ...(options.top === undefined ? { from: room.WRITE_SCORE } : {}),
    ...(written ? { written: { ...files, ...written } } : {}),
  };
  if (options.json) printJson(toJson(outcome));
  else print(toText(outcome));
  return EXIT.done;
}

type Known = Pick<
  Parameters<typeof import('../../zhcore/scan/index.js').scanRepository>[0],
  'known' | 'modules' | 'recorded' | 'bilingual'
>;

/** Lists the project's files, opens its commits, and scans. */
async function scanFiles(
  layout: ProjectLayout,
  given: string[],
  signal: AbortSignal,
  known: Known,
): Promise<ScanResult> {
  const [{ PathResolver, walkProject }, { openHistory }, { scanRepository }, { readFileText }] = await Promise.all([
    import('../../paths/index.js'),
    import('../../history/index.js'),
    import('../../zhcore/scan/index.js'),
    import('../../text/index.js'),
  ]);
  const { root, stateDir } = layout;
  const started = Date.now();
  const [{ files, unreadable }, history] = await Promise.all([
    walkProject(root, { signal }),
    openHistory(root, stateDir, { signal, ...settingsOf(layout).history }),
  ]);
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const resolver = new PathResolver(root, () => [...withFolders(sizes.keys())]);
  const only = given.map((raw) => resolved(resolver, raw)).map((path) => (path === '.' ? '' : path));
  let told = started + QUIET_MS - EVERY_MS;
  return scanRepository({
    ...known,
    files: [...sizes.keys()],
    unreadable,
    sizeOf: (path) => sizes.get(path),
    read: (path) => readFileText(join(root, path)).text,
    history,
    signal,
    ...(only.length > 0 ? { only } : {}),
    onProgress: ({ done, total }) => {
      if (Date.now() - told < EVERY_MS) return;
      told = Date.now();
      log(pc.dim(`正在读文件 ${done}/${total}`));
    },
  });
}

/** @throws XiheError PATH_NOT_FOUND with what to do on a command line: the resolver itself speaks to models */
function resolved(resolver: { resolve(raw: string): { path: string } }, raw: string): string {
  try {
    return resolver.resolve(raw).path;
  } catch (e) {
    if (!XiheError.is(e, 'PATH_NOT_FOUND')) throw e;
    throw new XiheError('PATH_NOT_FOUND', e.message, {
      hint: '给出项目里的目录或文件，从项目根目录写起；不写就扫描整个项目。有哪些目录：xihe tree。',
      details: e.details,
    });
  }
}

function withFolders(paths: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let n = 1; n <= parts.length; n++) all.add(parts.slice(0, n).join('/'));
  }
  return all;
}
