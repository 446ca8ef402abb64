import { describe, expect, it } from 'vitest';
import { Workspace } from '../../src/paths/index.js';

const ALL = () => true;

describe('the window on the tree', () => {
  it('narrows, widens and goes back, and survives JSON', () => {
    const window = new Workspace();
    expect([window.focus, window.parent(), window.back(ALL)]).toEqual([null, undefined, undefined]);
    for (const place of ['src', 'src/pages/Login.tsx', 'README.md']) window.focusOn(place);
    const again = new Workspace(JSON.parse(JSON.stringify(window)));
    expect(again.parent()).toBe('.');
    expect(again.back(ALL)).toBe('src/pages/Login.tsx');
    expect(again.parent()).toBe('src/pages');
    again.focusOn('src/a.ts');
    // What is gone is skipped.
    expect(again.back((path) => path === 'src')).toBe('src');
    expect(again.back(ALL)).toBeUndefined();
  });

  it('turns to another part of the tree only where nothing ties it to what was looked at', () => {
    const window = new Workspace({ focus: 'src/pages/Login.tsx', history: ['src/pages', 'README.md'] });
    const ties = (path: string) => (path === 'src/pages/Login.tsx' ? ['src/components/Button.tsx'] : []);
    expect(window.isElsewhere(['src/pages/Home.tsx'], ties)).toBe(false);
    expect(window.isElsewhere(['src/pages/order/List.tsx'], ties)).toBe(false);
    expect(window.isElsewhere(['src/components/Button.tsx'], ties)).toBe(false);
    expect(window.isElsewhere(['server/pay.ts', 'src/pages/Home.tsx'], ties)).toBe(false);
    expect(window.isElsewhere(['server/pay.ts', 'package.json'], ties)).toBe(true);
    expect(window.isElsewhere([], ties)).toBe(false);
    expect(new Workspace().isElsewhere(['server/pay.ts'], ties)).toBe(false);
  });
});
