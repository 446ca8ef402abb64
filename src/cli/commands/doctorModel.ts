import pc from 'picocolors';
import type * as z from 'zod';
import { probeModels } from '../../agent/index.js';
import { loadConfig } from '../../config.js';
import { XiheError } from '../../errors.js';
import { openLayoutToRead } from '../../layout.js';
import { shownAddress } from '../../trust.js';
import { EXIT } from '../exit-codes.js';
import { log, print, printJson, visible } from '../output.js';
import type { doctorModelJson } from '../schemas/doctor-model.js';
import type { CommonOptions } from './options.js';

type Outcome = z.infer<typeof doctorModelJson>;
type Tried = Outcome['models'][number];

/**
 * `xihe doctor --model`: asks the model and each fallback a few small things, a few thousand tokens in all.
 *
 * @throws XiheError MODEL_NOT_CONFIGURED, UNTRUSTED_ADDRESS, CONFIG_INVALID
 */
export async function doctorModel(options: CommonOptions): Promise<number> {
  const { model: config } = loadConfig(openLayoutToRead(options.repo).layerDir);
  const models = await probeModels(config, (model, step) => log(pc.dim(`${visible(model)}：试${step}…`)));
  if (models.length === 0) {
    throw new XiheError('MODEL_NOT_CONFIGURED', '没有配置模型，没有什么可试的', {
      hint: '设置 XIHE_MODEL_PRESET（例如 deepseek）和它的密钥，或 XIHE_BASE_URL、XIHE_MODEL。',
    });
  }
  const ok = models.some(({ tools }) => tools !== null);
  const outcome: Outcome = { ok, models: models.map((one) => ({ ...one, baseUrl: shownAddress(one.baseUrl) })) };
  if (options.json) printJson(outcome);
  else print(outcome.models.map(shown).join('\n\n'));
  return ok ? EXIT.done : EXIT.failed;
}

const MARKS = { ok: pc.green('✓'), warn: pc.yellow('!'), fail: pc.red('✗') };

function shown({ model, baseUrl, probes, verdict }: Tried): string {
  const lines = probes.map(
    ({ name, state, detail, hint }) =>
      `${MARKS[state]} ${name}：${visible(detail)}${hint ? `\n    ${pc.dim(visible(hint))}` : ''}`,
  );
  return [`${visible(model)}（${visible(baseUrl)}）`, ...lines, `→ ${visible(verdict)}`].join('\n');
}
