import { join } from 'node:path';
import { HumanMessage } from '@langchain/core/messages';
import * as z from 'zod';
import { readStateFile, writeAtomic } from '../stateFile.js';
import { plainLine, stableHash } from '../text/index.js';
import { askJson } from './ask-json.js';
import { modelFailure } from './ask-model.js';
import type { NodeEnv } from './node.js';
import { prompt } from './prompts.js';
import type { Usage } from './usage.js';

/** Names that are used: a dozen say what a change is about, more only repeat it. */
const MAX_NAMES = 12;
/** What may be a name in code, with the class before it; anything else that a reply holds is left out. */
const NAME = /^[A-Za-z_$][\w$]{1,63}(?:[.#][A-Za-z_$][\w$]{1,63})?$/;
/** Languages that the prompt names: they decide how names are written. */
const MAX_LANGUAGES = 4;
const LANGUAGES: Record<string, string> = {
  ...{ java: 'Java', kt: 'Kotlin', ts: 'TypeScript', tsx: 'TypeScript', js: 'JavaScript', vue: 'Vue', py: 'Python' },
  ...{ go: 'Go', php: 'PHP', cs: 'C#', c: 'C', cpp: 'C++', rs: 'Rust', sql: 'SQL', xml: 'MyBatis' },
};

const CACHE_FILE = 'model-names.json';
/** Answers that are kept, the newest ones. */
const MAX_KEPT = 200;
const replySchema = z.object({ identifiers: z.array(z.string()) });
const cacheSchema = z.array(z.tuple([z.string(), z.array(z.string())]));

/**
 * Lets the model name the identifiers that a change would touch (`core.nameIdentifiers`): one call a request, kept by request, model and
 * HEAD. It sees the request and the repository's languages, nothing of the repository's text; of its reply only names are used. Where it
 * fails, files are found without.
 *
 * @returns [] when it is off or there is no model
 * @throws XiheError CANCELLED
 */
export async function namedIdentifiers(
  request: string,
  env: NodeEnv,
  files: readonly string[],
): Promise<{ names: string[]; usage?: Usage }> {
  const { model, project } = env;
  if (!project.config.core.nameIdentifiers || model === null) return { names: [] };
  const file = join(project.layout.stateDir, CACHE_FILE);
  const key = stableHash(Buffer.from(JSON.stringify([model.name, request, (await project.history()).head])));
  const kept = readKept(file);
  const known = kept.find(([asked]) => asked === key);
  if (known !== undefined) {
    env.emit({ type: 'identifiers.named', names: known[1], cached: true });
    return { names: known[1] };
  }
  try {
    const { parsed, usage } = await askJson(env, question(request, files), replySchema);
    if (!parsed.ok) {
      env.emit({ type: 'identifiers.named', names: [], cached: false, failed: parsed.error });
      return { names: [], usage };
    }
    const names = namesOf(parsed.value.identifiers);
    writeAtomic(file, [JSON.stringify([[key, names], ...kept].slice(0, MAX_KEPT))]);
    env.emit({ type: 'identifiers.named', names, cached: false });
    return { names, usage };
  } catch (e) {
    env.emit({ type: 'identifiers.named', names: [], cached: false, failed: modelFailure(e, env).message });
    return { names: [] };
  }
}

function question(request: string, files: readonly string[]) {
  const languages = languagesOf(files).join('、') || '不清楚';
  return {
    system: prompt('identifiers', { languages, most: String(MAX_NAMES) }),
    messages: [new HumanMessage(plainLine(request))],
    jsonSchema: z.toJSONSchema(replySchema),
  };
}

/** The languages of most files. */
function languagesOf(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const language = LANGUAGES[file.slice(file.lastIndexOf('.') + 1).toLowerCase()];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const byCount = [...counts].sort((a, b) => b[1] - a[1]);
  return byCount.slice(0, MAX_LANGUAGES).map(([language]) => language);
}

function namesOf(said: readonly string[]): string[] {
  const names = said.map((name) => name.trim().replace(/\(\)$/, '')).filter((name) => NAME.test(name));
  return [...new Set(names)].slice(0, MAX_NAMES);
}

/** What is not ours counts as not there; names are looked at again, because the file may have come with a repository. */
function readKept(file: string): [key: string, names: string[]][] {
  try {
    const kept = cacheSchema.parse(JSON.parse(readStateFile(file)?.toString('utf8') ?? '[]'));
    return kept.map(([key, names]) => [key, namesOf(names)]);
  } catch {
    return [];
  }
}
