import { dirname } from 'node:path';
import { CONFIG_FILE, configFaults } from '../../../config.js';
import type { LoadProblem } from '../../../knowledge/index.js';
import type { LintModel } from '../model.js';
import type { Finding, Rule } from '../types.js';

/** Makes findings of what could not be loaded. */
function problems(rule: Rule, model: LintModel, codes: readonly LoadProblem['code'][]): Finding[] {
  return model.layers.flatMap(({ layer, problems: all }) =>
    all
      .filter(({ code }) => codes.includes(code))
      .map(({ file, line, reason, level }) => ({
        rule: rule.id,
        level,
        layer,
        file,
        line: Math.max(1, line),
        message: reason,
      })),
  );
}

const unreadable: Rule = {
  id: 'XL001',
  name: 'unreadable-file',
  level: 'error',
  title: '文件读不了：编码、YAML 或文件头有误',
  help: '这个文件里的条目都没有生效。按提示改好这一行；知识和流程模板从第一个字节起写 ---、几行「键: 值」、--- 再写正文。',
  check: (model) => problems(unreadable, model, ['READ', 'YAML', 'FRONT_MATTER']),
};

const schema: Rule = {
  id: 'XL002',
  name: 'wrong-fields',
  level: 'error',
  title: '字段缺少、写错或不认识',
  help: '缺必填字段或类型不对的条目没有生效；不认识的字段被忽略，多半是拼错了。',
  check: (model) => problems(schema, model, ['SCHEMA']),
};

const duplicateId: Rule = {
  id: 'XL003',
  name: 'duplicate-id',
  level: 'error',
  title: '同一层里有两个相同的 id',
  help: '只有第一条生效。给后一条换一个 id，或者把两条合成一条。项目层和通用层可以同 id，那是覆盖。',
  check: (model) => problems(duplicateId, model, ['DUPLICATE_ID']),
};

const settings: Rule = {
  id: 'XL004',
  name: 'wrong-settings',
  level: 'error',
  title: 'config.yaml 写错了或有不认识的键',
  help: '写错的设置不会生效，xihe run 会拒绝启动。按 xihe init 生成的 config.yaml 里的注释改，或删掉这一项用默认值。',
  check: (model) =>
    model.layers
      .filter(({ layer }) => layer === 'project')
      .flatMap(({ dir, layer, shown }) =>
        configFaults(dir, dirname(dir)).map(({ line, reason }) => ({
          rule: settings.id,
          level: settings.level,
          layer,
          file: `${shown}${CONFIG_FILE}`,
          line,
          message: reason,
        })),
      ),
};

const tools: Rule = {
  id: 'XL005',
  name: 'wrong-tool',
  level: 'error',
  title: '工具的文件写错了，这个工具用不了',
  help: '其余工具照常。描述不超过 50 字，每个参数写清含义，示例能通过校验、没有多余的键，超时不超过模型超时的一半。',
  check: ({ options }) =>
    (options.toolProblems ?? []).map(({ file, line, reason }) => ({
      rule: tools.id,
      level: tools.level,
      layer: 'project',
      file,
      line,
      message: reason,
    })),
};

export const loadingRules: readonly Rule[] = [unreadable, schema, duplicateId, settings, tools];
