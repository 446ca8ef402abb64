import { identifiersOf, stableHash } from '../../text/index.js';
import { maskedWords } from './runLog.js';

/** A rule, a word or a step that a person's remark holds; it is in force only when somebody accepts it. */
export type ProposedEntry =
  | { type: 'term'; keyword_ch: string; code_symbols: string[] }
  | { type: 'warning'; danger: string; when: { paths: string[]; symbols: string[] } }
  | { type: 'step'; playbook: string; step: string };

export interface Proposal {
  /** Short, the same for the same remark on the same run. */
  id: string;
  /** `run://THREAD/RUN`: the run that it was said of. */
  source: string;
  /** ISO time. */
  t: string;
  /** The whole remark, masked. */
  remark: string;
  entry: ProposedEntry;
}

/** What the remark was about. */
export interface RemarkContext {
  thread: string;
  /** Id of the run. */
  run: string;
  /** Files that the run changed, POSIX, relative to the root; where it changed none, those that it looked at first. */
  paths: readonly string[];
  /** Id of the playbook that it followed, when the team's own. */
  playbook?: string | undefined;
  now?: Date | undefined;
}

/** More than these of one remark are no rules but a story. */
const PROPOSALS_MAX = 3;

/** Characters of a sentence that can be a rule: shorter says nothing, longer is a story. */
const SENTENCE = { min: 5, max: 160 } as const;

/** Folders named by one warning; a change all over the tree has no place. */
const PLACES_MAX = 4;

/** 超时关单指的是 `OrderService.cancelExpired`: a word, and a name in code with a capital, a dot or an underscore inside. */
const DEFINITION =
  /[「“"']?([\p{Script=Han}][\p{Script=Han}A-Za-z0-9]{1,11}?)[」”"']?\s*(?:在代码里)?\s*(?:就是指?|指的?就?是|指|对应的?(?:就?是)?|叫做?|=)\s*[`「“"']?([A-Za-z_$][\w$]*(?:[.#][A-Za-z_$][\w$]*)*)/u;
const NAME_IN_CODE = /[a-z][A-Z]|[._#]|^[A-Z][a-z]+[A-Z]?/;
/** What may stand before the word itself. */
const BEFORE_WORD = /^(?:注意|这里的?|那个?|这个?|我们的?|我说的|文中的?|所谓的?|你说的|其实|以后|代码里的?)+/;

/** 改完要跑一遍对账, 上线前记得通知客服: when, and that it has to be done. */
const STEP =
  /(?:(?:完|好|之后|以后|之前|前|后)(?:都|还)?(?:要|得|必须|应该|记得|务必)|记得|别忘了?|不要忘了?|还要先?|还得先?|(?:先|最后)要)/;

/** Words that make a sentence a rule, not a wish for this time. */
const RULE =
  /不要|不能|不许|不得|不应该?|不可以?|别(?![的人名处])|禁止|严禁|必须|一定要|务必|应该|应当|要用|统一|只能|只准|只许|得用|都要|一律/;

/** Asks or doubts: no rule. */
const QUESTION = /[？?]|(?:吗|呢|吧)$/;

/**
 * What a remark (a comment at confirm, the reason of a `bad`) would teach the core, read by its form, without a model.
 *
 * @param remark as it was written; masked before anything is kept
 */
export function proposalsFrom(remark: string, context: RemarkContext): Proposal[] {
  const masked = maskedWords(remark);
  const sentences = masked
    .split(/[。；;！!\n]+/)
    .map((text) => text.trim())
    .filter(({ length }) => length >= SENTENCE.min && length <= SENTENCE.max);
  const entries = sentences.flatMap((text) => entryOf(text, context) ?? []);
  const { thread, run, now = new Date() } = context;
  return entries.slice(0, PROPOSALS_MAX).map((entry) => ({
    id: `p-${stableHash(JSON.stringify([thread, run, entry])).slice(0, 8)}`,
    source: `run://${thread}/${run}`,
    t: now.toISOString(),
    remark: masked,
    entry,
  }));
}

function entryOf(sentence: string, { paths, playbook }: RemarkContext): ProposedEntry | undefined {
  if (QUESTION.test(sentence)) return undefined;
  const term = termIn(sentence);
  if (term) return term;
  if (playbook !== undefined && STEP.test(sentence)) return { type: 'step', playbook, step: sentence };
  if (!RULE.test(sentence) && !STEP.test(sentence)) return undefined;
  return { type: 'warning', danger: sentence, when: { paths: placesOf(paths), symbols: namesIn(sentence) } };
}

function termIn(sentence: string): ProposedEntry | undefined {
  const [, word, name] = DEFINITION.exec(sentence) ?? [];
  const keyword = word?.replace(BEFORE_WORD, '') ?? '';
  if (keyword.length < 2 || name === undefined || !NAME_IN_CODE.test(name)) return undefined;
  return { type: 'term', keyword_ch: keyword, code_symbols: [name] };
}

function namesIn(sentence: string): string[] {
  return [...new Set(identifiersOf(sentence))].filter((name) => NAME_IN_CODE.test(name));
}

/** The folders of the files; files in the root as they are. */
function placesOf(paths: readonly string[]): string[] {
  const folders = paths.map((path) => (path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/**` : path));
  return [...new Set(folders)].slice(0, PLACES_MAX);
}
