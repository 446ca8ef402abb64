/** A piece of JSON Schema (draft 7), as far as contracts are checked. */
export interface SchemaNode {
  type?: string | string[];
  description?: string;
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode | SchemaNode[] | boolean;
  additionalProperties?: SchemaNode | boolean;
  patternProperties?: Record<string, SchemaNode>;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  allOf?: SchemaNode[];
  $ref?: string;
  $defs?: Record<string, SchemaNode>;
  definitions?: Record<string, SchemaNode>;
}

/** Deeper nesting no model fills in; it also ends schemas that refer to themselves. */
const MAX_DEPTH = 8;

/** Words that say what type a value has, and not what it means. */
const TYPE_WORDS =
  /^(?:string|number|integer|boolean|array|object|any|字符串|文本|数字|整数|布尔值?|数组|列表|对象|参数)$/i;

/**
 * Parameters that nobody explained, the inner ones too: of objects, of objects in arrays, of each branch of a union.
 *
 * @returns each with its path (`edits[].search`), in Chinese what is missing
 */
export function unexplained(schema: SchemaNode): { path: string; reason: string }[] {
  const found = new Map<string, string>();
  const walk = (node: SchemaNode, path: string, depth: number) => {
    if (depth > MAX_DEPTH) return;
    for (const [name, raw] of Object.entries(node.properties ?? {})) {
      const at = path === '' ? name : `${path}.${name}`;
      const property = resolved(raw, schema);
      const fault = explanationFault(name, raw.description ?? property.description);
      if (fault) found.set(at, `参数 ${at} ${fault}`);
      walk(property, at, depth + 1);
    }
    for (const inner of itemsOf(node)) walk(resolved(inner, schema), `${path}[]`, depth + 1);
    for (const inner of valuesOf(node)) walk(resolved(inner, schema), path, depth + 1);
    for (const inner of branchesOf(node)) walk(resolved(inner, schema), path, depth + 1);
  };
  walk(resolved(schema, schema), '', 0);
  return [...found].map(([path, reason]) => ({ path, reason }));
}

function explanationFault(name: string, description: string | undefined): string | undefined {
  const text = description?.trim() ?? '';
  if (text === '') return '没有说明';
  if (text.toLowerCase() === name.toLowerCase()) return '的说明只是重复了名字，写出它是什么意思';
  return TYPE_WORDS.test(text) ? '的说明只写了类型，写出它是什么意思' : undefined;
}

/**
 * Keys of a value that its schema does not know. Schemas of objects let unknown keys pass unless they are strict, and then a mistyped
 * key in an example teaches a model to write it.
 *
 * @returns paths: `edits[0].serach`
 */
export function unknownKeys(schema: SchemaNode, value: unknown): string[] {
  const inside = (nodes: SchemaNode[], at: unknown, path: string, depth: number): string[] => {
    const flat = nodes.flatMap((node) => flattened(node, schema, depth));
    if (flat.length === 0 || depth > MAX_DEPTH) return [];
    if (Array.isArray(at))
      return at.flatMap((item, i) => inside(flat.flatMap(itemsOf), item, `${path}[${i}]`, depth + 1));
    if (typeof at !== 'object' || at === null) return [];
    const objects = flat.filter((node) => node.properties !== undefined || valuesOf(node).length > 0);
    // What says nothing of its keys takes any.
    if (objects.length === 0) return [];
    return Object.entries(at).flatMap(([key, inner]) => {
      const here = path === '' ? key : `${path}.${key}`;
      const known = objects.flatMap((node) =>
        node.properties && Object.hasOwn(node.properties, key) ? [node.properties[key]!] : valuesOf(node),
      );
      return known.length === 0 ? [here] : inside(known, inner, here, depth + 1);
    });
  };
  return inside([schema], value, '', 0);
}

/** A node and all branches of its unions, references followed. */
function flattened(raw: SchemaNode, root: SchemaNode, depth: number): SchemaNode[] {
  if (depth > MAX_DEPTH) return [];
  const node = resolved(raw, root);
  return [node, ...branchesOf(node).flatMap((inner) => flattened(inner, root, depth + 1))];
}

function branchesOf(node: SchemaNode): SchemaNode[] {
  return [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
}

function itemsOf(node: SchemaNode): SchemaNode[] {
  const { items } = node;
  if (items === undefined || typeof items === 'boolean') return [];
  return Array.isArray(items) ? items : [items];
}

/** Schemas of the values of keys that are not listed (a record). */
function valuesOf(node: SchemaNode): SchemaNode[] {
  const rest = node.additionalProperties;
  return [...Object.values(node.patternProperties ?? {}), ...(typeof rest === 'object' ? [rest] : [])];
}

/** Follows a reference inside the same schema; one that leads nowhere is the node itself. */
function resolved(node: SchemaNode, root: SchemaNode): SchemaNode {
  const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(node.$ref ?? '')?.[1];
  if (node.$ref === '#') return root;
  return (name === undefined ? undefined : (root.$defs?.[name] ?? root.definitions?.[name])) ?? node;
}
