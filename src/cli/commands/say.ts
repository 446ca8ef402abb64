import { Session } from '../../agent/index.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

/** `xihe say`: a word to a run that is under way, also one of a LangGraph server that works on this project. */
export async function say(thread: string, words: string, options: CommonOptions): Promise<number> {
  const session = await Session.open(options.repo);
  try {
    const { n, running } = await session.say(thread, words);
    if (options.json) printJson({ thread, n, running });
    else if (running) print('已经记下，模型下一轮就听到。');
    else print(`已经记下。会话现在没有在跑，接着跑时就听到：xihe resume ${thread}`);
    return EXIT.done;
  } finally {
    session.close();
  }
}
