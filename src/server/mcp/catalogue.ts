import type { CoreEntry, EntryType, ZhCore } from '../../zhcore/index.js';
import { renderPlaybook, renderSource, renderTerm, renderWarning } from '../../zhcore/index.js';
import { CALLED, parseUri, RESOURCE_TYPES, uriOf } from './uris.js';

/** An entry as lists show it. */
export interface Listed {
  uri: string;
  type: EntryType;
  id: string;
  /** In Chinese: the word, the title. */
  title: string;
  /** One line. */
  description: string;
  version: string;
  /** Of the team, not of what ships. */
  isOwn: boolean;
}

/** Description of one entry in a list. Characters. */
const DESCRIPTION_CHARS = 60;
/** An id, as clients may use it as a name. */
const catalogues = new WeakMap<ZhCore, Catalogue>();

/** The entries of a core as lists show them; made once for each version of the data. */
export function catalogueOf(core: ZhCore): Catalogue {
  const known = catalogues.get(core);
  if (known?.version === core.dataVersion) return known;
  const made = new Catalogue(core);
  catalogues.set(core, made);
  return made;
}

/** Everything in force, the team's own first: some clients put the first page of a list before their model. */
export class Catalogue {
  readonly version: string;
  readonly all: readonly Listed[];
  private readonly entries: ReadonlyMap<string, CoreEntry>;
  private readonly places: ReadonlyMap<string, number>;

  constructor(core: ZhCore) {
    this.version = core.dataVersion;
    const entries = core.entries();
    this.entries = new Map(entries.map((entry) => [uriOf(entry.type, entry.entry.id), entry]));
    this.all = entries.map(listed).sort(inOrder);
    this.places = new Map(this.all.map(({ uri }, i) => [uri, i]));
  }

  entry(uri: string): CoreEntry | undefined {
    const named = parseUri(uri);
    return named && this.entries.get(uriOf(named.type, named.id));
  }

  of(type: EntryType): Listed[] {
    return this.all.filter((entry) => entry.type === type);
  }

  listed(uri: string): Listed | undefined {
    const at = this.places.get(uri);
    return at === undefined ? undefined : this.all[at];
  }
}

function listed({ type, entry }: CoreEntry): Listed {
  const { provenance, id } = entry;
  const base = { uri: uriOf(type, id), type, id, version: provenance.version, isOwn: provenance.layer === 'project' };
  switch (type) {
    case 'term':
      return {
        ...base,
        title: entry.keyword_ch,
        description: line(`${entry.code_symbols.join('、')} ${entry.note ?? ''}`),
      };
    case 'warning':
      return { ...base, title: `警示：${line(entry.danger, 24)}`, description: line(entry.danger) };
    case 'playbook':
      return {
        ...base,
        title: entry.title,
        description: line(`${entry.steps.length} 步。${entry.trigger_keywords.join('、')}`),
      };
    case 'knowledge':
      return { ...base, title: entry.title, description: line(entry.summary) };
  }
}

function line(text: string, chars = DESCRIPTION_CHARS): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain.length <= chars ? plain : `${plain.slice(0, chars).replace(/[\ud800-\udbff]$/, '')}…`;
}

function inOrder(a: Listed, b: Listed): number {
  if (a.isOwn !== b.isOwn) return a.isOwn ? -1 : 1;
  if (a.type !== b.type) return RESOURCE_TYPES.indexOf(a.type) - RESOURCE_TYPES.indexOf(b.type);
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** An entry whole, as Markdown. */
export function wholeText(found: CoreEntry): string {
  const { type, entry } = found;
  switch (type) {
    case 'term':
      return [
        `# 术语：${entry.keyword_ch}`,
        ...(entry.aliases.length > 0 ? [`也叫：${entry.aliases.join('、')}`] : []),
        renderTerm(entry),
      ].join('\n\n');
    case 'warning': {
      const { symbols, paths, added, keywords } = entry.when;
      const when = [
        ['符号', symbols],
        ['路径', paths],
        ['新增的行', added],
        ['说到', keywords],
      ] as const;
      const conditions = when.flatMap(([name, list]) => (list.length > 0 ? [`- ${name}：${list.join('、')}`] : []));
      return [
        '# 警示',
        renderWarning(entry),
        ...(conditions.length > 0 ? [`什么时候响：\n${conditions.join('\n')}`] : []),
      ].join('\n\n');
    }
    case 'playbook':
      return [renderPlaybook(entry), ...(entry.body.trim() ? [entry.body.trim()] : [])].join('\n\n');
    case 'knowledge':
      return [`# ${entry.title} ${renderSource(entry.provenance)}`, entry.summary, entry.body.trim()].join('\n\n');
  }
}

/** `术语 order-state`: for messages. */
export function calledEntry(type: EntryType, id: string): string {
  return `${CALLED[type]} ${id}`;
}
