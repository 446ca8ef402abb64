import { CommanderError } from 'commander';
import { quoted, XiheError } from '../errors.js';
import { EXIT } from './exit-codes.js';
import { showError } from './output.js';
import { buildProgram } from './program.js';

/**
 * Runs the command line.
 *
 * @param argv as in `process.argv`
 * @returns nothing; sets `process.exitCode` (0 done, 1 failed, 2 usage, 3 waiting, 130 interrupted)
 */
export async function main(argv: string[]): Promise<void> {
  // `xihe tree | head` closes the pipe early: that is no fault.
  process.stdout.on('error', (e: NodeJS.ErrnoException) => {
    if (e.code === 'EPIPE') process.exit(EXIT.done);
  });
  const json = argv.includes('--json');
  try {
    const program = buildProgram((code) => {
      process.exitCode = code;
    });
    assertHelpTopic(
      argv,
      program.commands.map((command) => command.name()),
    );
    await program.parseAsync(argv);
  } catch (e) {
    process.exitCode = e instanceof CommanderError ? usageExit(e, json) : showError(e, json);
  }
}

/** `xihe help nope`: commander would show the general help without a word. */
function assertHelpTopic(argv: string[], commands: string[]): void {
  const [word, topic] = argv.slice(2);
  if (word !== 'help' || topic === undefined || topic.startsWith('-') || topic === 'help' || commands.includes(topic))
    return;
  throw new XiheError('USAGE', `没有「${quoted(topic)}」这个命令`, { hint: `可用的命令：${commands.join('、')}。` });
}

/** Help and version end with 0; every other word that commander does not understand is a usage error. */
function usageExit(e: CommanderError, json: boolean): number {
  if (['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(e.code))
    return e.exitCode === 0 ? EXIT.done : EXIT.usage;
  showError(new XiheError('USAGE', inChinese(e), { hint: '运行 xihe --help 或 xihe <命令> --help 看用法。' }), json);
  return EXIT.usage;
}

/** Commander's messages in Chinese; what stands in quotes is kept. */
function inChinese(e: CommanderError): string {
  const name = quoted(e.message.match(/'([^']+)'/)?.[1] ?? '');
  const texts: Record<string, string> = {
    'commander.unknownCommand': `没有「${name}」这个命令`,
    'commander.unknownOption': `没有「${name}」这个选项`,
    'commander.missingArgument': `缺少参数「${name}」`,
    'commander.optionMissingArgument': `选项「${name}」后面缺少值`,
    'commander.missingMandatoryOptionValue': `缺少必填选项「${name}」`,
    'commander.excessArguments': '参数太多了；带空格的请求要用引号括起来',
    'commander.conflictingOption': `选项冲突：${quoted(e.message)}`,
    'commander.invalidArgument': invalidValue(e.message),
  };
  return texts[e.code] ?? quoted(e.message.replace(/^error: /, ''));
}

/** Commander wraps our own message, or says which choices there are. */
function invalidValue(message: string): string {
  const [, option = '', value = '', why = ''] =
    message.match(/^error: (?:option|command-argument value) '(.+?)' (?:argument '(.*?)' )?is invalid\. ?(.*)$/s) ?? [];
  const choices = why.match(/^Allowed choices are (.+)\.$/)?.[1];
  if (choices) return `选项「${quoted(option)}」不能是「${quoted(value)}」，可选：${choices.replaceAll(', ', '、')}`;
  if (why && option) return `选项「${quoted(option)}」的值不对：${why}`;
  return why || message.replace(/^error: /, '');
}
