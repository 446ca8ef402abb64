import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { destinationsOf, loadConfig } from '../../src/config.js';
import { isLoopback, shownAddress, trust, trustedOf, userConfigDir } from '../../src/trust.js';

let dir: string;
let layer: string;
let env: NodeJS.ProcessEnv;
const put = (text: string) => writeFileSync(join(layer, 'config.yaml'), text);
const own = (text: string) => {
  mkdirSync(userConfigDir(env), { recursive: true });
  writeFileSync(join(userConfigDir(env), 'config.yaml'), text);
};
const KEYS = { XIHE_API_KEY: 'k-model', XIHE_EMBED_API_KEY: 'k-embed', XIHE_MILVUS_TOKEN: 'k-milvus' };

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-trust-')));
  layer = join(dir, 'repo', '.xihe');
  mkdirSync(layer, { recursive: true });
  env = { XDG_CONFIG_HOME: join(dir, 'user'), ...KEYS };
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const ALL = `model: { baseUrl: 'https://a.example/v1', name: m }
embedding: { baseUrl: 'https://b.example/v1', name: e }
milvus: { address: 'c.example:19530' }
`;

describe('what is this machine', () => {
  it.each([
    'http://127.0.0.1:1/v1',
    'https://localhost',
    'localhost:19530',
    '127.9.8.7',
    'http://[::1]:80/v1',
    'HTTP://LOCALHOST/v1',
  ])('%s is', (address) => expect(isLoopback(address)).toBe(true));
  it.each([
    'http://127.0.0.1.evil.example/v1',
    'http://localhost.evil.example',
    'http://localhost@evil.example/v1',
    'http://127.0.0.1:80@evil.example/v1',
    'localhost\\evil.example:19530',
    'http://localhost\n.evil.example',
    'http://localhost\\@evil.example',
    '127.0.0.1,evil.example:19530',
    'dns:evil.example:19530',
    'unix:///tmp/socket',
    '0.0.0.0:19530',
    'http://10.0.0.1/v1',
    'ftp://localhost/',
    'localhost:19530?x=@evil',
  ])('%j is not', (address) => expect(isLoopback(address)).toBe(false));
});

describe('addresses that a repository has chosen', () => {
  it('are marked, and their keys are gone', () => {
    put(ALL);
    const config = loadConfig(layer, env);
    expect([config.model.apiKey, config.embedding.apiKey, config.milvus.token]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(config.model.untrusted).toMatchObject([
      { project: join(dir, 'repo'), setting: 'model.baseUrl', address: 'https://a.example/v1' },
    ]);
    expect(config.milvus.untrusted?.[0]?.address).toBe('c.example:19530');
  });

  it('are open once the user has trusted them, for this project and these addresses', () => {
    put(ALL);
    trust(join(dir, 'repo'), destinationsOf(layer, env), env);
    const config = loadConfig(layer, env);
    expect([config.model.apiKey, config.embedding.apiKey, config.milvus.token]).toEqual(Object.values(KEYS));
    expect(config.model.untrusted).toBeUndefined();
    put(ALL.replace('a.example', 'evil.example'));
    expect(loadConfig(layer, env).model).toMatchObject({ untrusted: [{ address: 'https://evil.example/v1' }] });
    expect(loadConfig(layer, env).embedding.apiKey).toBe('k-embed');
    const other = join(dir, 'other', '.xihe');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'config.yaml'), ALL);
    expect(loadConfig(other, env).model.apiKey).toBeUndefined();
  });

  it('are the same project by whatever path it is opened', () => {
    put(ALL);
    trust(join(dir, 'repo'), destinationsOf(layer, env), env);
    symlinkSync(join(dir, 'repo'), join(dir, 'link'));
    expect(loadConfig(join(dir, 'link', '.xihe'), env).model.apiKey).toBe('k-model');
  });

  it('are not those of the user: environment, own settings, this machine, what both say', () => {
    put(ALL);
    const chosen = { ...env, XIHE_BASE_URL: 'https://mine.example/v1' };
    expect(loadConfig(layer, chosen).model).toMatchObject({ baseUrl: 'https://mine.example/v1', apiKey: 'k-model' });
    own(
      `embedding: { baseUrl: 'https://b.example/v1' }\nmilvus: { address: 'mine.example:19530', timeoutSeconds: 9 }\n`,
    );
    const config = loadConfig(layer, env);
    expect(config.embedding).toMatchObject({ apiKey: 'k-embed', baseUrl: 'https://b.example/v1' });
    // The repository says another address than the user: the user has not chosen that one.
    expect(config.milvus).toMatchObject({ address: 'c.example:19530', timeoutSeconds: 9 });
    expect([config.milvus.token, config.milvus.untrusted?.length]).toEqual([undefined, 1]);
    put(`model: { baseUrl: 'http://127.0.0.1:8000/v1', name: m }`);
    expect(loadConfig(layer, env).model).toMatchObject({ apiKey: 'k-model' });
    expect(destinationsOf(layer, env).map(({ chosen }) => chosen)).toEqual(['local']);
    own(`model: { baseUrl: 'https://mine.example/v1', name: mine }`);
    put('');
    expect(loadConfig(layer, env).model).toMatchObject({ baseUrl: 'https://mine.example/v1', apiKey: 'k-model' });
  });

  it('a preset is an address like any other, and its own key stays here until then', () => {
    const keys = { ...env, XIHE_API_KEY: '', DEEPSEEK_API_KEY: 'k-vendor' };
    put('model: { preset: deepseek }\n');
    const refused = loadConfig(layer, keys).model;
    expect([refused.untrusted?.[0]?.setting, refused.apiKey]).toEqual(['model.baseUrl', undefined]);
    put('core: { topK: 3 }\n');
    const mine = loadConfig(layer, { ...keys, XIHE_MODEL_PRESET: 'deepseek' }).model;
    expect([mine.untrusted, mine.apiKey, mine.name]).toEqual([undefined, 'k-vendor', 'deepseek-v4-flash']);
    expect(mine.contextTokens).toBe(128_000);
    // What I chose is not turned elsewhere by the repository, nor does a vendor's key follow another address.
    put("model: { baseUrl: 'https://evil.example/v1' }\n");
    expect(loadConfig(layer, { ...keys, XIHE_MODEL_PRESET: 'deepseek' }).model.baseUrl).toContain('deepseek.com');
    const other = { ...keys, XIHE_MODEL_PRESET: 'deepseek', XIHE_BASE_URL: 'https://gateway.example/v1' };
    expect(loadConfig(layer, other).model.apiKey).toBeUndefined();
  });

  it('fallbacks that lead elsewhere are left out until then; those at the same place are not asked about', () => {
    const user = { ...env, XIHE_BASE_URL: 'https://mine.example/v1', XIHE_MODEL: 'm', DASHSCOPE_API_KEY: 'k-qwen' };
    put("model: { fallbacks: [{ name: small }, { preset: qwen }, { baseUrl: 'https://x.example/v1', name: x }] }\n");
    const refused = loadConfig(layer, user).model;
    expect([refused.fallbacks, refused.apiKey]).toEqual([undefined, 'k-model']);
    const [asked] = destinationsOf(layer, user);
    expect(asked).toMatchObject({ setting: 'model.fallbacks', chosen: 'untrusted' });
    expect(asked?.address).toBe('https://dashscope.aliyuncs.com/compatible-mode/v1，https://x.example/v1');
    trust(asked!.project, [asked!], user);
    const keys = loadConfig(layer, user).model.fallbacks?.map(({ apiKey }) => apiKey);
    // Each key where it belongs: the model's at its own address, the vendor's at the vendor's, none at a stranger's.
    expect(keys).toEqual(['k-model', 'k-qwen', undefined]);
    put('model: { fallbacks: [{ name: small }] }\n');
    expect(destinationsOf(layer, user)).toEqual([]);
    expect(loadConfig(layer, user).model.fallbacks).toHaveLength(1);
  });

  it('can not trust themselves', () => {
    put(`${ALL}`.replace('name: m }', 'name: m, untrusted: [] }'));
    expect(() => loadConfig(layer, env)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    // A folder of settings that is relative would lie in the repository.
    expect(userConfigDir({ XDG_CONFIG_HOME: '.config', HOME: '/home/u' })).toBe('/home/u/.config/xihe');
  });
});

describe('what is remembered', () => {
  it('can be taken back, leaves other projects alone, and is for the user only', () => {
    const one = { setting: 'model.baseUrl', address: 'https://a.example/v1' };
    trust('/p/one', [one], env);
    const file = trust('/p/two', [one], env);
    expect(statSync(file).mode & 0o077).toBe(0);
    trust('/p/one', [], env);
    expect([trustedOf('/p/one', env), trustedOf('/p/two', env)]).toMatchObject([[], [one]]);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).projects)).toEqual(['/p/two']);
  });

  it.each(['', '{', '[]', 'null', '{"projects":[]}', '{"projects":{"/p/one":"yes"}}', '{"projects":{"HERE":[null]}}'])(
    'trusts nobody when the file is %j',
    (text) => {
      mkdirSync(userConfigDir(env), { recursive: true });
      writeFileSync(join(userConfigDir(env), 'trust.json'), text.replace('HERE', join(dir, 'repo')));
      put(ALL);
      expect(loadConfig(layer, env).model.untrusted).toHaveLength(1);
      trust(join(dir, 'repo'), destinationsOf(layer, env), env);
      expect(loadConfig(layer, env).model.untrusted).toBeUndefined();
    },
  );
});

describe('an address for people', () => {
  it('has no password, no second line and an end', () => {
    expect(shownAddress('https://u:secret@h.example/v1')).toBe('https://h.example/v1');
    expect(shownAddress('https://u:se@cret@h.example/v1')).toBe('https://h.example/v1');
    expect(shownAddress(`https://h.example/\n\u001b[31m${'a'.repeat(5000)}`)).toMatch(
      /^https:\/\/h\.example\/\?\?\[31ma{1,200}…$/,
    );
  });
});

describe("the user's own settings", () => {
  it('tell their own file when they are wrong', () => {
    own('model:\n  temperature: hot\n');
    put('model:\n  name: m\n');
    expect(() => loadConfig(layer, env)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`${join(userConfigDir(env), 'config.yaml')}:2`) }),
    );
  });
});
