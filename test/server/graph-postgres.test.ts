import { afterAll, describe } from 'vitest';
import { startPostgres } from '../support/postgres.js';
import { itServes } from './graph-scenarios.js';

const postgres = await startPostgres();

describe.skipIf(postgres === undefined)('processes that share a Postgres', () => {
  itServes(() => postgres!.url);
  afterAll(() => postgres?.stop());
});
