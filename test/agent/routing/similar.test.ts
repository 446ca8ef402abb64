import { describe, expect, it } from 'vitest';
import { loadSamples, route, SIMILARITY_THRESHOLD } from '../../../src/agent/routing/index.js';
import { nearestSample } from '../../../src/agent/routing/similar.js';

describe('samples', () => {
  const samples = loadSamples();

  it('are many, balanced and different', () => {
    expect(samples.length).toBeGreaterThanOrEqual(250);
    expect(new Set(samples.map((sample) => sample.text)).size).toBe(samples.length);
    for (const kind of ['qa', 'edit', 'tool', 'chat']) {
      expect(samples.filter((sample) => sample.kind === kind).length).toBeGreaterThan(samples.length / 6);
    }
  });

  it('at the threshold, left out one by one, take no question and no smalltalk for an act', () => {
    const wrong = samples
      .filter((sample) => sample.kind === 'qa' || sample.kind === 'chat')
      .map((sample) => ({ sample, nearest: nearestSample(sample.text, [], sample.text) }))
      .filter(({ nearest }) => nearest && nearest.score >= SIMILARITY_THRESHOLD)
      .filter(({ nearest }) => nearest?.kind === 'edit' || nearest?.kind === 'tool');
    expect(wrong).toEqual([]);
  });
});

describe('the similarity layer', () => {
  it('names the sample and the score', () => {
    const [intent] = route('导出的表格用 WPS 打开全是乱码').intents;
    expect(intent).toMatchObject({ kind: 'qa', layer: 'similar' });
    expect(intent?.evidence).toContain('导出的表格用 Excel 打开全是乱码');
  });

  it('learns from the samples of a team', () => {
    const text = '门店自提核销码显示不全';
    expect(route(text).intents[0]?.layer).not.toBe('similar');
    const samples = [{ text: '门店自提核销码显示不完整', kind: 'edit' as const }];
    expect(route(text, { samples }).intents[0]).toMatchObject({ kind: 'edit', layer: 'similar' });
  });

  it('never makes an act of an utterance without an imperative, whatever the samples say', () => {
    const text = '生产环境的缓存集群';
    const samples = [{ text, kind: 'tool' as const, tool: 'restart_service' }];
    expect(route(text, { samples }).intents[0]).toMatchObject({ kind: 'qa' });
  });

  it('agrees to an act that the grammar saw as a wish', () => {
    expect(route('我想重启订单服务').intents[0]).toMatchObject({
      kind: 'tool',
      layer: 'similar',
      toolHint: 'restart_service',
    });
  });

  it('refuses below the threshold', () => {
    const [intent] = route('月亮湾三号仓').intents;
    expect(intent).toMatchObject({ kind: 'qa', layer: 'refused' });
    expect(intent?.evidence).toContain('阈值');
  });
});
