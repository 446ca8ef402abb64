import { splitIdentifier } from '../../text/index.js';
import type { SymbolRef, SymbolRole } from './types.js';

/** Last parts of class names that say the layer; `OrderController` and `OrderService` are both about `Order`. */
const LAYER_PARTS = new Set(
  'controller service impl mapper dao repository repo entity dto vo bo po do pojo param params query request req response resp res result example api rest facade biz feign rpc row'.split(
    ' ',
  ),
);
/** Parts before a name that say where it belongs in the database, or that it is an interface. */
const PREFIX_PARTS = new Set('t tb tbl tab i base abstract v m c s'.split(' '));
/** Names of members that only mean something with their class. */
const PLAIN_MEMBERS = new Set(
  'id ids code codes key keys name names title type types status state states sort order value values val label text content contents desc description remark remarks note notes memo icon img image images pic url uri path link href flag level num number no count total amount price size width height weight color data date time start end from to user owner parent children child list items item rows page create add save insert update edit modify delete remove get query find search select detail info export import download upload check submit cancel close open enable disable audit approve reject init load run execute handle process send index main result results source target scope mode kind category group tag tags role roles email phone mobile address password username account avatar enabled disabled deleted visible version config settings setting options option params method action event message msg reason log file files model view table column columns field fields form'.split(
    ' ',
  ),
);

const ROLE_BY_LAST: readonly (readonly [SymbolRole, RegExp])[] = [
  [
    'helper',
    /(?:utils?|helper|tools?|config|configuration|configurer|properties|constants?|consts?|exception|error|aspect|filter|interceptor|listener|advice|converter|factory|builder|annotation|serializer|deserializer|validator|wrapper|adapter|context|holder|test|application|initializer|handler|generator|plugin|engine)$/i,
  ],
  ['service', /(?:service(?:impl)?|manager|facade|biz)$/i],
  [
    'layer',
    /(?:controller|mapper|dao|repository|repo|api|client|resource|action|impl|provider|param|params|query|dto|vo|bo|request|req|response|resp|result|form|example|command|cmd|event)$/i,
  ],
];

/** The part of a class-like symbol, by its kind and name. */
export function roleOfType(name: string, kind: 'class' | 'interface' | 'type' | 'enum', isSql: boolean): SymbolRole {
  if (isSql) return 'table';
  if (kind === 'enum' || /Enum$/.test(name)) return 'enum';
  return ROLE_BY_LAST.find(([, pattern]) => pattern.test(name))?.[0] ?? 'entity';
}

/** Plural to singular, for the last part of a name only where it is plain: orders, categories. */
function singular(part: string): string {
  if (/(?:ss|us|is|ws)$/.test(part) || part.length < 4) return part;
  return part.endsWith('ies') ? `${part.slice(0, -3)}y` : part.replace(/s$/, '');
}

/** Words of an identifier in lower case, the last one singular. */
export function partsOf(name: string): string[] {
  const parts = splitIdentifier(name.replace(/\(.*$/, ''));
  const last = parts.at(-1);
  return last === undefined ? parts : [...parts.slice(0, -1), singular(last)];
}

const cores = new Map<string, string>();
const MAX_MEMO = 50_000;

/** What a class-like name is about: `OmsOrderController`, `IOmsOrderService`, `oms_order` → `oms_order`. */
export function coreOf(name: string): string {
  const known = cores.get(name);
  if (known !== undefined) return known;
  let parts = splitIdentifier(name);
  while (parts.length > 1 && LAYER_PARTS.has(parts.at(-1)!)) parts = parts.slice(0, -1);
  while (parts.length > 1 && PREFIX_PARTS.has(parts[0]!)) parts = parts.slice(1);
  const last = parts.at(-1);
  if (last !== undefined) parts = [...parts.slice(0, -1), singular(last)];
  const core = parts.join('_');
  if (cores.size > MAX_MEMO) cores.clear();
  cores.set(name, core);
  return core;
}

/** Tells whether a member's name needs its class to mean anything. */
export function isPlainMember(name: string): boolean {
  const parts = splitIdentifier(name);
  return (
    parts.length === 0 ||
    (parts.length === 1 && (PLAIN_MEMBERS.has(parts[0]!) || parts[0]!.length < 4)) ||
    (parts.length === 2 && parts.every((part) => PLAIN_MEMBERS.has(part)))
  );
}

export const TYPE_ROLES: ReadonlySet<SymbolRole> = new Set([
  'table',
  'entity',
  'enum',
  'service',
  'layer',
  'helper',
  'page',
]);

/** Roles by how central they are: the table and its class first, an interface key last. */
export const CENTRALITY: Record<SymbolRole, number> = {
  entity: 1,
  table: 0.98,
  enum: 0.95,
  service: 0.85,
  page: 0.7,
  layer: 0.75,
  'enum-member': 0.8,
  column: 0.72,
  field: 0.76,
  method: 0.72,
  function: 0.7,
  constant: 0.68,
  helper: 0.5,
  route: 0.6,
  key: 0.5,
};

/**
 * What two symbols must share to be one thing: classes their core, members their name (plain ones with their class).
 *
 * @param canonical the name that a core goes by: a table `sys_role` is the class `Role` where there is no class `SysRole`
 */
export function nameKey(symbol: SymbolRef, canonical: (core: string) => string): string {
  if (TYPE_ROLES.has(symbol.role))
    return `t:${canonical(symbol.role === 'helper' ? partsOf(symbol.name).join('_') : coreOf(symbol.name))}`;
  if (symbol.role === 'key' || symbol.role === 'route') return `k:${symbol.name}`;
  const own = partsOf(symbol.name).join('_');
  const container = symbol.container === undefined ? '' : canonical(coreOf(symbol.container));
  if (symbol.role === 'enum-member' || (container !== '' && isPlainMember(symbol.name))) return `m:${container}.${own}`;
  return `m:${own}`;
}

/** A symbol as people write it: members with their class. */
export function shown(symbol: SymbolRef): string {
  return symbol.container === undefined || TYPE_ROLES.has(symbol.role)
    ? symbol.name
    : `${symbol.container}.${symbol.name}`;
}
