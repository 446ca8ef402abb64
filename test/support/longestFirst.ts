import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, in seconds on two slow cores (2026-12-01); all others take a few. Not on the list only means started
 * later, so it is worth a change when a file becomes one of the longest.
 */
const SECONDS: Record<string, number> = {
  'test/agent/scenarios/edit-flow.test.ts': 90,
  'test/agent/scenarios/crash-after.test.ts': 90,
  'test/agent/scenarios/crash.test.ts': 80,
  'test/package/pack.test.ts': 60,
  'test/agent/scenarios/identity.test.ts': 55,
  'test/agent/scenarios/first-day.test.ts': 50,
  'test/sandbox/runner.test.ts': 45,
  'test/knowledge/index/milvus.test.ts': 43,
  'test/cli/commands.test.ts': 40,
  'test/zhcore/watch.test.ts': 40,
  'test/cli/lint.test.ts': 36,
  'test/agent/scenarios/tool-branch.test.ts': 35,
  'test/agent/scenarios/editing.test.ts': 35,
  'test/cli/scan.test.ts': 35,
  'test/cli/json.test.ts': 34,
  'test/agent/scenarios/mall.test.ts': 33,
  'test/cli/index-knowledge.test.ts': 32,
  'test/tools/mcp.test.ts': 30,
  'test/agent/scenarios/questions.test.ts': 28,
  'test/cli/scan-crash.test.ts': 27,
  'test/cli/odd-places.test.ts': 27,
};

/** What a file takes that is not on the list. */
const OTHERS = 5;

/** Starts the longest files first, so that no worker is left with one of them at the end while the other has nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId, project }: TestSpecification) =>
      SECONDS[relative(project.config.root, moduleId).replaceAll('\\', '/')] ?? OTHERS;
    return (await super.sort(files)).sort((a, b) => seconds(b) - seconds(a));
  }
}
