import { describe, expect, it } from 'vitest';
import { knownWindow, MODEL_PRESETS, PRESET_NAMES, presetOf } from '../../src/modelPresets.js';

describe('what is known of endpoints', () => {
  it.each(PRESET_NAMES)('%s: an address that ends with a version, a source and its day', (name) => {
    const { baseUrl, source, checked } = MODEL_PRESETS[name];
    expect(new URL(baseUrl).pathname).toMatch(/\/v\d$/);
    expect(source).toMatch(/^https:\/\//);
    expect(checked).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it('a vendor is known by its host, a local port belongs to nobody', () => {
    expect(presetOf('https://api.deepseek.com')).toBe('deepseek');
    expect(presetOf('https://api.deepseek.com.evil.example/v1')).toBeUndefined();
    expect(presetOf('http://localhost:11434/v1')).toBeUndefined();
    expect(presetOf('no address')).toBeUndefined();
  });

  it('windows by name, whoever serves the model', () => {
    const windows = ['deepseek-v4-pro', 'deepseek-ai/DeepSeek-V3', 'qwen3-max', 'qwen3.8-max', 'glm-5', 'glm-5.2'];
    expect(windows.map(knownWindow)).toEqual([1_000_000, 131_072, 262_144, 1_000_000, 202_752, 1_000_000]);
    expect(knownWindow('kimi-k3')).toBe(1_048_576);
    expect(knownWindow('my-own-model')).toBeUndefined();
  });
});
