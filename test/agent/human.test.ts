import { describe, expect, it } from 'vitest';
import { readAnswer, readEditedFiles, readParameters, readVerdict } from '../../src/agent/human.js';

describe('answers of people, in every form that clients send', () => {
  it.each([
    [{ decisions: [{ type: 'approve' }] }, 'approve'],
    [[{ type: 'accept', args: null }], 'approve'],
    [{ type: 'approve' }, 'approve'],
    [true, 'approve'],
    ['同意', 'approve'],
    ['y', 'approve'],
    [{ decisions: [{ type: 'reject', message: '不要' }] }, 'reject'],
    [[{ type: 'ignore', args: null }], 'reject'],
    [false, 'reject'],
    ['先不', 'reject'],
    [[{ type: 'response', args: '改个名字' }], 'edit'],
    ['变量名改短一点', 'edit'],
  ] as const)('%j is %s', (value, verdict) => {
    expect(readVerdict(value).verdict).toBe(verdict);
  });

  it('what is no answer is refused with a hint, never taken for a yes', () => {
    for (const value of [{}, null, 42, { decisions: [] }, { type: 'maybe' }]) {
      expect(() => readVerdict(value)).toThrow(expect.objectContaining({ code: 'RESUME_INVALID' }));
    }
  });

  it('keeps the words', () => {
    expect(readVerdict({ decisions: [{ type: 'reject', message: ' 太复杂 ' }] })).toMatchObject({ comment: '太复杂' });
    expect(readAnswer('文档在 wiki 上')).toEqual({ proceed: true, text: '文档在 wiki 上' });
    expect(readAnswer({ decisions: [{ type: 'reject' }] })).toEqual({ proceed: false, text: '先不做' });
  });

  it('takes edited files and parameters from both shapes', () => {
    const files = [{ path: 'a.ts', text: '' }];
    expect(
      readEditedFiles({ decisions: [{ type: 'edit', editedAction: { name: 'apply_changeset', args: { files } } }] }),
    ).toEqual(files);
    expect(readEditedFiles([{ type: 'edit', args: { action: 'apply_changeset', args: { files } } }])).toEqual(files);
    expect(readEditedFiles({ decisions: [{ type: 'edit', message: '改' }] })).toEqual([]);
    expect(readParameters({ service: 'order' })).toEqual({ service: 'order' });
    expect(
      readParameters({ decisions: [{ type: 'edit', editedAction: { name: 't', args: { service: 'x' } } }] }),
    ).toEqual({ service: 'x' });
  });
});
