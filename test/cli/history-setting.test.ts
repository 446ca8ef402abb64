import { afterAll, describe, expect, it } from 'vitest';
import { openPathContext } from '../../src/cli/open.js';
import { cleanUp, commit, initRepository, project } from '../paths/support.js';

afterAll(cleanUp);

describe('history.maxCommits', () => {
  it('says how many commits find files', async () => {
    const { root } = project({ '.xihe/config.yaml': 'history:\n  maxCommits: 2\n' });
    initRepository(root);
    for (const subject of ['发票抬头', '对账单', '优惠券'])
      commit(root, subject, { [`src/${subject}.ts`]: 'export {};\n' });
    const { history } = await openPathContext(root);
    expect(history.recent(9).map(({ subject }) => subject)).toEqual(['优惠券', '对账单']);
  });
});
