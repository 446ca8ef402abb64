import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LibsqlSaver } from '../../src/agent/checkpoint/libsql-saver.js';

// The common specification of LangGraph's savers, as its authors wrote it.
const dirs = new Map<LibsqlSaver, string>();
const initializer = {
  checkpointerName: 'LibsqlSaver',
  createCheckpointer() {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-saver-'));
    const saver = LibsqlSaver.open(join(dir, 'checkpoints.db'));
    dirs.set(saver, dir);
    return saver;
  },
  destroyCheckpointer(saver: LibsqlSaver) {
    saver.close();
    rmSync(dirs.get(saver)!, { recursive: true, force: true });
    dirs.delete(saver);
  },
};

// The specification expects vitest's functions as globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
validate(initializer);
deltaChannelHistoryTests(initializer);
