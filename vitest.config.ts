import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start servers and child processes; on two cores more workers only add noise. The limits only end what hangs.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Loading the embedding model takes each process a second or more, and most tests are about something else. Those about vectors
    // set the provider themselves; the README's outputs are made with the defaults.
    env: { XIHE_EMBED_PROVIDER: 'none' },
  },
});
