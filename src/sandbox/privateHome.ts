import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Where tools look for what is installed in the home folder, by the variables that their own documentation gives. Java's
 * tools (Maven, Gradle) go by the account, not by HOME, and need none.
 */
const TOOL_HOMES: Readonly<Record<string, string>> = {
  ASDF_DATA_DIR: '.asdf',
  BUN_INSTALL: '.bun',
  CARGO_HOME: '.cargo',
  COREPACK_HOME: '.cache/node/corepack',
  CYPRESS_CACHE_FOLDER: '.cache/Cypress',
  DENO_INSTALL: '.deno',
  FNM_DIR: '.local/share/fnm',
  GOPATH: 'go',
  MISE_DATA_DIR: '.local/share/mise',
  NVM_DIR: '.nvm',
  PLAYWRIGHT_BROWSERS_PATH: '.cache/ms-playwright',
  PUPPETEER_CACHE_DIR: '.cache/puppeteer',
  PYENV_ROOT: '.pyenv',
  PYTHONUSERBASE: '.local',
  RBENV_ROOT: '.rbenv',
  RUSTUP_HOME: '.rustup',
  SDKMAN_DIR: '.sdkman',
  VOLTA_HOME: '.volta',
};

/**
 * Makes an empty home folder and a temporary folder beside a scratch copy, for commands that nothing else keeps out of the
 * user's: `rm -rf ~` and `$TMPDIR` then meet these. A wall it is not.
 *
 * @param base the private folder of the scratch copy, absolute
 * @returns variables for such commands; PATH stays, and tools in the user's home folder are still found
 */
export function privateHome(base: string, env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const home = join(base, '.home');
  // Short: sockets in it may have 104 characters at most on macOS.
  const temp = join(base, '.tmp');
  for (const dir of [home, temp, join(home, '.run')]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  const real = homedir();
  const tools = Object.entries(TOOL_HOMES)
    .filter(([name, folder]) => !env[name] && existsSync(join(real, folder)))
    .map(([name, folder]) => [name, join(real, folder)] as const);
  const path = env.PATH ?? env.Path;
  return {
    ...Object.fromEntries(tools),
    HOME: home,
    USERPROFILE: home,
    TMPDIR: temp,
    TMP: temp,
    TEMP: temp,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_RUNTIME_DIR: join(home, '.run'),
    // `~/bin` in PATH, which shells would read with the new HOME.
    ...(path?.includes('~') ? { PATH: withHome(path, real) } : {}),
  };
}

function withHome(path: string, home: string): string {
  return path
    .split(delimiter)
    .map((dir) => (dir === '~' || dir.startsWith('~/') ? home + dir.slice(1) : dir))
    .join(delimiter);
}
