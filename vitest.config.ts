import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longestFirst.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start servers and child processes; on two cores more workers only add noise. The limits only end what hangs.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    // Loading the embedding model takes each process a second or more, and most tests are about something else. Those about vectors
    // set the provider themselves; the README's outputs are made with the defaults.
    env: { XIHE_EMBED_PROVIDER: 'none' },
    // The build is loaded as users load it, not rewritten by Vite.
    server: { deps: { external: [/\/dist\/cli\//] } },
  },
});
