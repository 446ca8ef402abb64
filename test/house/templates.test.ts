import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assetPath } from '../../src/assets.js';
import { configSchema, loadConfig } from '../../src/config.js';
import { loadTeamTools } from '../../src/tools/index.js';
import { lintLayers, openZhCore } from '../../src/zhcore/index.js';
import { examplesOf, layerOf } from '../support/fenced.js';

const TEMPLATES = assetPath('templates', 'init');
const pages = readdirSync(TEMPLATES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const examples = pages.flatMap((name) => examplesOf(join(TEMPLATES, name)));
const layer = layerOf(examples);
afterAll(() => rmSync(dirname(layer), { recursive: true, force: true }));

/** A commented template as somebody leaves it who takes the `#` off every setting; explanations stay comments. */
function uncommented(name: string): string {
  return readFileSync(join(TEMPLATES, name), 'utf8').replace(/^(\s*)# (?=\s*[\w-]+:(?:\s|$))/gm, '$1');
}

describe('what `xihe init` writes', () => {
  it('has an example in each README, put where it says', () => {
    for (const page of pages) expect([page, examplesOf(join(TEMPLATES, page)).length]).toEqual([page, 1]);
    for (const { path } of examples)
      expect(pages).toContain(join(dirname(path).replace('knowledge/refund', 'knowledge'), 'README.md'));
  });

  it('loads as it is, before anybody wrote anything', () => {
    const core = openZhCore({ generalDir: join(layer, 'nothing'), projectDir: TEMPLATES });
    expect([core.problems, core.counts().terms, core.counts().documents]).toEqual([[], 0, 0]);
    expect(loadConfig(TEMPLATES, {})).toEqual(configSchema.parse({}));
  });

  it('has examples that load, and that lint has nothing to say about', async () => {
    writeFileSync(join(layer, 'modules.yaml'), uncommented('modules.yaml'));
    const core = openZhCore({ generalDir: join(layer, 'nothing'), projectDir: layer });
    expect(core.problems).toEqual([]);
    expect(core.counts()).toEqual({ terms: 1, warnings: 2, playbooks: 1, documents: 1, chunks: 1 });
    expect(core.modules.order).toContain('src/order/**');
    expect(loadTeamTools(layer)).toMatchObject({ problems: [], tools: [{ name: 'restart_service' }] });
    const own = { ...core.modules, refund: ['src/refund/**'] };
    writeFileSync(join(layer, 'modules.yaml'), JSON.stringify(own));
    const { findings } = await lintLayers({ layers: [{ dir: layer, layer: 'project' }], today: '2026-12-01' });
    expect(findings).toEqual([]);
  });

  it('has settings that hold when the comment marks are taken off', () => {
    writeFileSync(join(layer, 'config.yaml'), uncommented('config.yaml'));
    const config = loadConfig(layer, {});
    expect(config.model.name).toBe('qwen3-coder');
    expect(config.core).toMatchObject({ preset: 'lean', rerank: true, topK: 5 });
    expect({ ...config.run }).toEqual({ ...configSchema.parse({}).run, maxCost: 3 });
    expect(config.embedding).toMatchObject({
      ...configSchema.parse({}).embedding,
      name: 'bge-m3',
      dimension: 1024,
      langchain: { class: 'AlibabaTongyiEmbeddings', options: { apiKey: '${DASHSCOPE_API_KEY}' } },
    });
  });

  it('has every setting of vectors but the key, which belongs into the environment', () => {
    const text = readFileSync(join(TEMPLATES, 'config.yaml'), 'utf8');
    const written = /^embedding:\n((?: .*\n)+)/m.exec(text)?.[1] ?? '';
    const known = Object.keys(configSchema.shape.embedding.unwrap().shape).filter((key) => key !== 'apiKey');
    expect([...written.matchAll(/^ {2}# (\w+):/gm)].map(([, key]) => key).sort()).toEqual(known.sort());
  });
});
