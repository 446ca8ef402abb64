import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertNeeds, checkScript } from '../../../src/integrations/dolphin/index.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'xihe-script-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const check = (name: string, text: string | Buffer) => {
  writeFileSync(join(dir, name), text);
  return checkScript(join(dir, name), dir);
};
const namesOf = async (name: string, text: string) => (await check(name, text)).needs.map((need) => need.name);

describe('a shell script', () => {
  it('that holds is checked by bash without being run', async () => {
    const found = await check('a.sh', `touch ${join(dir, 'ran')}\necho "你好"\n`);
    expect(found).toMatchObject({ kind: 'shell', syntax: { state: 'ok', by: 'bash -n' }, needs: [], notes: [] });
    expect(readdirSync(dir)).toEqual(['a.sh']);
  });

  it('with a fault is refused with its line', async () => {
    await expect(check('a.sh', 'echo 1\nif true; then\necho 2\n')).rejects.toMatchObject({
      code: 'SCRIPT_INVALID',
      message: expect.stringMatching(/第 [34] 行语法不对/),
    });
  });

  it('of GBK and CRLF goes as UTF-8 and LF, and that is said', async () => {
    const found = await check('a.sh', iconv.encode('#!/bin/bash\r\n# 每天凌晨对账\r\necho 完成对账任务\r\n', 'gbk'));
    expect(found.text).toBe('#!/bin/bash\n# 每天凌晨对账\necho 完成对账任务\n');
    expect(found.notes).toHaveLength(2);
    expect(found.syntax.state).toBe('ok');
  });

  it('names what it needs and the worker may lack, each once', async () => {
    writeFileSync(join(dir, 'lib.sh'), '');
    const needs = await namesOf(
      'a.sh',
      [
        'source ./lib.sh',
        '. /opt/nowhere/env.sh',
        'python3 jobs/etl.py --day "$DAY"',
        'nowhere-cli --all | sort > out.txt',
        'spark-submit --master yarn job.py',
        'hive -f report.sql && java -jar app.jar',
        'mysql-nowhere < dump.sql',
        'if nowhere-cli; then ./run.sh; fi',
      ].join('\n'),
    );
    expect(needs).toEqual(
      expect.arrayContaining([
        './lib.sh',
        '/opt/nowhere/env.sh',
        'jobs/etl.py',
        'nowhere-cli',
        'report.sql',
        'app.jar',
      ]),
    );
    expect(needs).toEqual(expect.arrayContaining(['mysql-nowhere', 'dump.sql', './run.sh']));
    expect(new Set(needs).size).toBe(needs.length);
    const found = await check('b.sh', 'source ./lib.sh\n./nothing.sh\n');
    expect(found.needs.map(({ line, why }) => [line, why.includes('在项目里')])).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  it('asks nothing about what it can’t be sure of or what is its own', async () => {
    const text = [
      '#!/bin/bash',
      'set -euo pipefail',
      'DAY=${1:-$(date +%F)}',
      'DAY=1 sort /dev/null',
      'log() { echo "[$DAY] $*"; }',
      'function clean_up { rm -f "$TMP"; }',
      'alias ll="ls -l"',
      'log "开始; missing-command 不是命令" && clean_up',
      'for f in a b c; do log "$f"; done',
      'case "$1" in start) log x ;; *) log y ;; esac',
      'case "$2" in\n  start|stop)\n    log z ;;\n  (deploy) log w ;;\nesac',
      'while read -r line; do echo "$line"; done < "$INPUT"',
      'cat <<EOF',
      'missing-in-heredoc ./missing.sh',
      'EOF',
      '"$SPARK_HOME/bin/spark-submit" x',
      'if [ -f /etc/nothing ]; then echo yes; fi # missing-in-comment',
      'sort \\',
      '  --reverse /dev/null',
      'bash -c "echo hi"',
      'arr=(one two three)',
      'more=(\n  one\n  two\n)',
    ].join('\n');
    expect(await namesOf('a.sh', text)).toEqual([]);
  });

  it('is asked about in one question, until a person confirms', async () => {
    const found = await check('a.sh', 'nowhere-a\n./nowhere-b.sh\n');
    expect(() => assertNeeds(found, ['nowhere-a'])).toThrow(
      expect.objectContaining({
        code: 'SCRIPT_DEPENDENCIES',
        message: expect.stringContaining('./nowhere-b.sh（第 2 行'),
      }),
    );
    expect(() => assertNeeds(found, ['nowhere-a', './nowhere-b.sh'])).not.toThrow();
  });
});

describe('a Python script', () => {
  it('that holds is compiled without being run and leaves no file', async () => {
    const found = await check('a.py', `import json\nopen(r'${join(dir, 'ran')}', 'w')\n`);
    expect(found).toMatchObject({ kind: 'python', syntax: { state: 'ok', by: 'py_compile' }, needs: [] });
    expect(readdirSync(dir)).toEqual(['a.py']);
  });

  it('with a fault is refused with its line', async () => {
    await expect(check('a.py', 'x = 1\nif x\n  pass\n')).rejects.toMatchObject({
      code: 'SCRIPT_INVALID',
      message: expect.stringContaining('第 2 行语法不对'),
    });
  });

  it('of GBK goes as UTF-8, its line about the encoding too', async () => {
    const found = await check(
      'a.py',
      iconv.encode('# -*- coding: gbk -*-\nprint("每天凌晨对账的任务完成了")\n', 'gbk'),
    );
    expect(found.text).toContain('coding: utf-8');
    expect(found.text).toContain('每天凌晨对账');
    expect(found.syntax.state).toBe('ok');
  });

  it('names its own modules, modules that are not here, and files that it reads', async () => {
    mkdirSync(join(dir, 'shop'));
    writeFileSync(join(dir, 'shop', '__init__.py'), '');
    const text = [
      'import os, json',
      'import nowhere_module.sub',
      'from shop import orders',
      'try:\n    import maybe_nowhere\nexcept ImportError:\n    maybe_nowhere = None',
      'data = open("input.csv").read()',
      'open("out.csv", "w")',
    ].join('\n');
    const { needs } = await check('a.py', text);
    expect(needs.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'module nowhere_module',
      'module shop',
      'file input.csv',
    ]);
  });
});

describe('what is no script', () => {
  it('is refused with a reason', async () => {
    for (const [name, bytes, code] of [
      ['a.sh', '  \n', 'SCRIPT_INVALID'],
      ['a.txt', 'echo 1\n', 'SCRIPT_INVALID'],
      ['a.sh', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2]), 'FILE_BINARY'],
      ['a.sh', `# ${'x'.repeat(70_000)}\n`, 'SCRIPT_INVALID'],
    ] as const)
      await expect(check(name, bytes as string)).rejects.toMatchObject({ code });
    await expect(checkScript(join(dir, 'none.sh'), dir)).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' });
    expect(await check('job', '#!/usr/bin/env python3\nprint(1)\n')).toMatchObject({ kind: 'python' });
  });
});
