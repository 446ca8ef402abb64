import { splitIdentifier } from '../../text/index.js';
import { TYPE_ROLES } from './names.js';
import type { Mention, ScanHistory } from './types.js';
import { type Definition, squeezed } from './wanted.js';
import { isBareVerb } from './worth.js';

/** A class as the scan saw it. */
export interface ClassSeen {
  name: string;
  file: string;
  line: number;
  members: Definition[];
  /** False for what only members name as theirs. */
  isDefined: boolean;
}

/** A class that a gone one seems to have become. */
export interface Successor {
  seen: ClassSeen;
  /** In Chinese. */
  why: string;
  /** Git says so, or words and members agree. */
  certain: boolean;
}

interface Gone {
  name: string;
  /** Names of its members that terms ask for, squeezed. */
  members: readonly string[];
  /** Words of the terms that name the class itself. */
  words: ReadonlySet<string>;
  /** Files that its terms came from. */
  sources: ReadonlySet<string>;
  classes: Iterable<ClassSeen>;
  mentions: readonly Mention[];
  history: ScanHistory | undefined;
}

/** What each sign says; set so that one strong or two weak signs pass, and a shared `add` never does alone. */
const RENAMED_FILE = 3;
const SAME_WORD = 0.7;
const SAME_MEMBERS = 0.8;
const SAME_FOLDER = 0.2;
const OTHER_LAYER = -0.5;
const ENOUGH = 0.95;
/** One far behind the best is no candidate. */
const NEAR_BEST = 0.75;
const MAX_SUCCESSORS = 2;

/** Classes that a gone class was probably renamed to, best first: by git, by the same members, the same comment, a similar name. */
export function successorsOf(gone: Gone): Successor[] {
  const renamed = renamedFiles(gone);
  const folders = new Set([...gone.sources].map(folderOf));
  const described = new Map<string, Set<string>>();
  for (const { symbol, word } of gone.mentions)
    if (TYPE_ROLES.has(symbol.role)) described.set(symbol.name, (described.get(symbol.name) ?? new Set()).add(word));
  const scored = [...gone.classes]
    .filter(({ isDefined, name }) => isDefined && squeezed(name) !== squeezed(gone.name))
    .map((seen) => {
      const likeness = dice(splitIdentifier(gone.name), splitIdentifier(seen.name));
      const shared = sharedMembers(gone.members, seen);
      const isRenamed = renamed.has(seen.file) && isIn(seen.file, seen.name);
      const sameWord = [...gone.words].some((word) => described.get(seen.name)?.has(word));
      const sameLayer = splitIdentifier(gone.name).at(-1) === splitIdentifier(seen.name).at(-1);
      const score =
        likeness +
        SAME_MEMBERS * shared +
        (isRenamed ? RENAMED_FILE : 0) +
        (sameWord ? SAME_WORD : 0) +
        (folders.has(folderOf(seen.file)) ? SAME_FOLDER : 0) +
        (sameLayer ? 0 : OTHER_LAYER);
      const signs = [isRenamed, sameWord, shared > 0.5].filter(Boolean).length;
      return {
        seen,
        score,
        isRenamed,
        sameLayer,
        certain: isRenamed || (signs > 1 && likeness > 0.5),
        sameWord,
        shared,
      };
    })
    .filter(({ score }) => score >= ENOUGH)
    .sort((a, b) => b.score - a.score || (a.seen.name < b.seen.name ? -1 : 1));
  const best = scored[0];
  // A service becomes a service: its controller shares the members and the comment, and is none.
  return scored
    .filter(({ score, sameLayer }) => score >= NEAR_BEST * best!.score && (sameLayer || !best!.sameLayer))
    .slice(0, MAX_SUCCESSORS)
    .map(({ seen, isRenamed, sameWord, shared, certain }) => {
      const how = isRenamed ? '文件改名' : sameWord ? '说明相同' : shared > 0 ? '成员相同' : '名字最像';
      return { seen, certain, why: `${gone.name} 像是改成了 ${seen.name}（${how}）` };
    });
}

/** Files of today that a file of the class was renamed to. */
function renamedFiles({ name, sources, history }: Gone): Set<string> {
  const found = new Set<string>();
  for (const source of sources) {
    const today = history?.nowCalled?.(source) ?? source;
    if (today !== source && isIn(source, name)) found.add(today);
  }
  return found;
}

/** Share of the members that a class has too; bare verbs, which every class has, count half. */
function sharedMembers(members: readonly string[], { members: theirs }: ClassSeen): number {
  if (members.length === 0) return 0;
  const has = new Set(theirs.map(({ name }) => squeezed(name)));
  const weight = (member: string) => (isBareVerb(member) ? 0.5 : 1);
  return members.filter((member) => has.has(member)).reduce((sum, member) => sum + weight(member), 0) / members.length;
}

function dice(a: readonly string[], b: readonly string[]): number {
  const both = new Set(a.filter((part) => b.includes(part)));
  return (2 * both.size) / (new Set(a).size + new Set(b).size);
}

/** A class `OrderService` lies in `OrderService.java`, `order_service.py`, `order.ts`. */
function isIn(path: string, name: string): boolean {
  return squeezed(name).includes(squeezed(stemOf(path)));
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
