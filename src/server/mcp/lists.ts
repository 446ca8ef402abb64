import type {
  CompleteResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { EntryType, ZhCore } from '../../zhcore/index.js';
import { type Catalogue, catalogueOf, type Listed, wholeText } from './catalogue.js';
import { invalidParams, noResource } from './faults.js';
import { CALLED, parseUri, RESOURCE_TYPES, uriOf } from './uris.js';

/** Entries of one page. Some clients put the first page of resources before their model (Cline does), so it is short, the team's own first. */
export const PAGE_SIZE = 50;
/** Completions at most (specification, «Completion»: 100). */
const MAX_COMPLETIONS = 100;

/** A page of resources. @throws ProtocolFault for a cursor that is none */
export function listResources(core: ZhCore, cursor: string | undefined): ListResourcesResult {
  const { page, nextCursor } = pageOf(catalogueOf(core).all, cursor);
  const resources = page.map((entry) => ({
    uri: entry.uri,
    name: entry.id,
    title: `${CALLED[entry.type]}：${entry.title.replace(/^警示：/, '')}`,
    description: entry.description,
    mimeType: 'text/markdown',
    annotations: { audience: ['assistant' as const], priority: entry.isOwn ? 0.8 : 0.3 },
  }));
  return { resources, ...(nextCursor ? { nextCursor } : {}) };
}

/** How addresses are made; ids may be completed. */
export function listTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: RESOURCE_TYPES.map((type) => ({
      // Ids of documents are paths: `+` keeps their slashes (RFC 6570, 3.2.3).
      uriTemplate: `xihe://${type}/{${type === 'knowledge' ? '+' : ''}id}`,
      name: type,
      title: CALLED[type],
      description: `按 id 取一条${CALLED[type]}，全文`,
      mimeType: 'text/markdown',
    })),
  };
}

/** An entry whole, or one passage of a document. @throws ProtocolFault where there is none */
export function readResource(core: ZhCore, uri: string) {
  const found = catalogueOf(core).entry(uri);
  const named = parseUri(uri);
  if (found === undefined && named?.type === 'knowledge' && named.id.includes('#'))
    return readPassage(core, uri, named.id);
  if (found === undefined) throw noResource(uri, nearby(core, uri));
  return contents(core, uri, wholeText(found), found.entry.provenance);
}

function readPassage(core: ZhCore, uri: string, id: string) {
  const found = core.entry(id);
  if (found?.type !== 'knowledge' || !('content' in found.entry)) throw noResource(uri, nearby(core, uri));
  const { title, heading, content, provenance } = found.entry;
  return contents(core, uri, `# ${[title, heading].filter(Boolean).join(' › ')}\n\n${content}`, provenance);
}

function contents(
  core: ZhCore,
  uri: string,
  text: string,
  provenance: { source: string; version: string; confidence: number },
) {
  const { source, version, confidence } = provenance;
  const _meta = { data_version: core.dataVersion, source, version, confidence };
  return { contents: [{ uri, mimeType: 'text/markdown', text, _meta }] };
}

function nearby(core: ZhCore, uri: string): string {
  const named = parseUri(uri);
  if (named === undefined) return `地址要写成 ${RESOURCE_TYPES.map((type) => uriOf(type, 'id')).join('、')} 的样子。`;
  const near = matching(catalogueOf(core), named.type, named.id.split(/[#/]/)[0] ?? '').slice(0, 3);
  return near.length > 0 ? `相近的有：${near.map(({ uri }) => uri).join('、')}。` : '用 resources/list 看有哪些。';
}

/** One prompt a playbook. @throws ProtocolFault for a cursor that is none */
export function listPrompts(core: ZhCore, cursor: string | undefined): ListPromptsResult {
  const { page, nextCursor } = pageOf(catalogueOf(core).of('playbook'), cursor);
  const prompts = page.map(({ id, title, description }) => ({
    name: id,
    title,
    description,
    arguments: [{ name: 'request', description: '要做的事，一句中文', required: true }],
  }));
  return { prompts, ...(nextCursor ? { nextCursor } : {}) };
}

/** Ids of a kind that begin so, or whose Chinese name holds it. */
export function completeId(core: ZhCore, template: string, value: string): CompleteResult {
  const type = RESOURCE_TYPES.find((known) => template.startsWith(`xihe://${known}/`));
  if (type === undefined) throw invalidParams(`没有这个资源模板：${template.slice(0, 200)}`);
  const found = matching(catalogueOf(core), type, value);
  const values = found.slice(0, MAX_COMPLETIONS).map(({ id }) => id);
  return { completion: { values, total: found.length, hasMore: found.length > values.length } };
}

function matching(catalogue: Catalogue, type: EntryType, value: string): Listed[] {
  const entries = catalogue.of(type);
  const beginning = entries.filter(({ id }) => id.startsWith(value));
  const inside =
    value === '' ? [] : entries.filter(({ id, title }) => !id.startsWith(value) && `${id} ${title}`.includes(value));
  return [...beginning, ...inside];
}

/** A cursor names the last entry that was given, so that a list which changes meanwhile loses nothing that stays. */
function pageOf(entries: readonly Listed[], cursor: string | undefined): { page: Listed[]; nextCursor?: string } {
  const start = cursor === undefined ? 0 : startOf(entries, cursor);
  const page = entries.slice(start, start + PAGE_SIZE);
  const last = page.at(-1);
  if (last === undefined || start + PAGE_SIZE >= entries.length) return { page };
  return { page, nextCursor: Buffer.from(JSON.stringify([start + PAGE_SIZE, last.uri])).toString('base64url') };
}

function startOf(entries: readonly Listed[], cursor: string): number {
  try {
    const [place, uri] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (typeof uri !== 'string' || !Number.isSafeInteger(place) || (place as number) < 0) throw new Error('no cursor');
    const at = entries.findIndex((entry) => entry.uri === uri);
    return at >= 0 ? at + 1 : (place as number);
  } catch {
    throw invalidParams('cursor 不是这里给出的；不带 cursor 重新列。');
  }
}
