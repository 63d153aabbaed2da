/** The list of tools as `tools/list` returns it. Models read it before every conversation, so it is kept short. */
import { invariant } from '#domain/errors.ts';
import type { Tool } from './tool.ts';

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly outputSchema?: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly title: string;
  readonly annotations: {
    readonly readOnlyHint?: true;
    readonly openWorldHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
  };
}

export function describeTools(tools: readonly Tool[]): ToolDescription[] {
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: describeArguments(tool),
    ...(tool.returns === undefined ? {} : { outputSchema: describeResult(tool, tool.returns) }),
    annotations: {
      // The hints that are left out are false by default, and the others mean nothing for a tool that only reads.
      ...(tool.readOnly
        ? { readOnlyHint: true }
        : {
            destructiveHint: tool.hints?.destructive === true,
            ...(tool.hints?.idempotent === true ? { idempotentHint: true } : {}),
          }),
      openWorldHint: tool.hints?.openWorld === true,
    },
  }));
}

function describeArguments({ arguments: schema, about = {}, brief = [] }: Tool) {
  const required: readonly string[] = schema.required ?? [];
  return {
    type: 'object' as const,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        withWords(
          brief.includes(name)
            ? { type: asSchema(property)['type'] ?? 'object' }
            : withInnerWords(shortened(property), name, about),
          about[name],
        ),
      ]),
    ),
    ...(required.length === 0 ? {} : { required: [...required] }),
  };
}

type Schema = Readonly<Record<string, unknown>>;

function describeResult({ name, routes }: Tool, returns: readonly string[]) {
  const bodies = routes.flatMap(({ endpoint: { responses } }) => responses[200]?.schema ?? []);
  const [body] = bodies;
  invariant(body !== undefined && bodies.length === 1, `The tool ${name} has no or several bodies.`);
  return { ...describeFields(asSchema(body), returns), type: 'object' as const };
}

/** @param paths such as `run.id`; the fields of the items of a list are written like those of an object */
function describeFields(schema: Schema, paths: readonly string[]): Schema {
  const type = schema['type'];
  if (type === 'array')
    return { type, ...(paths.length > 0 && { items: describeFields(asSchema(schema['items']), paths) }) };
  if (Array.isArray(schema['anyOf'])) {
    const types = schema['anyOf'].map((branch) => asSchema(branch)['type']);
    return { type: types };
  }
  if (paths.length === 0) return { type };
  const fields = Map.groupBy(paths, (path) => path.split('.')[0] ?? '');
  const properties = asSchema(schema['properties']);
  return {
    type,
    properties: Object.fromEntries(
      [...fields].map(([field, inner]) => {
        const rest = inner.map((path) => path.slice(field.length + 1)).filter((path) => path !== '');
        invariant(field in properties, `A response has no field ${field}.`);
        return [field, describeFields(asSchema(properties[field]), rest)];
      }),
    ),
    required: [...fields.keys()],
  };
}

/** Schemas of responses are objects, and so are the schemas in them. */
function asSchema(value: unknown): Schema {
  return value as Schema;
}

/** Words for the fields of an argument, such as `target.url`. */
function withInnerWords(
  schema: Record<string, unknown>,
  argument: string,
  about: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return schema;
  const fields = Object.entries(properties as Readonly<Record<string, Record<string, unknown>>>);
  return {
    ...schema,
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, withWords(field, about[`${argument}.${name}`])]),
    ),
  };
}

/** @param words empty if the name is enough; undefined keeps the description of the API reference */
function withWords(schema: Record<string, unknown>, words: string | undefined): Record<string, unknown> {
  if (words === undefined) return schema;
  const { description: _, ...rest } = schema;
  return words === '' ? rest : { ...rest, description: words };
}

/**
 * Keywords that the hub checks anyway. Its error messages explain them better, and they make up a third of
 * the list.
 */
const omitted = new Set([
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'patternProperties',
  'x-rule',
  'examples',
  'title',
  'format',
  'additionalProperties',
]);

function shortened(schema: unknown): Record<string, unknown> {
  if (typeof schema !== 'object' || schema === null) return {};
  const values = constantsOf(schema);
  if (values !== null) {
    const { anyOf: _, ...rest } = schema as { readonly anyOf?: unknown };
    return { enum: values, ...shortened(rest) };
  }
  // Some hosts show a union with null as an unknown type. Leaving the argument out means the same.
  if ('anyOf' in schema && Array.isArray(schema.anyOf)) {
    const [first, second] = schema.anyOf as readonly { readonly type?: unknown }[];
    if (second?.type === 'null') return { ...shortened(first), ...describedAs(schema) };
  }
  const { default: usual, maximum } = schema as { readonly default?: unknown; readonly maximum?: unknown };
  // No and none need no words, and neither does as much as possible.
  const isPlain = usual === false || usual === 0 || (usual !== undefined && usual === maximum);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !omitted.has(keyword) && !(keyword === 'default' && isPlain))
      .filter(([keyword]) => !(keyword === 'maximum' && maximum === usual))
      .map(([keyword, value]) => [keyword, shortenedValue(keyword, value)]),
  );
}

/** The values of a union of constants; null for any other schema. */
function constantsOf(schema: object): readonly unknown[] | null {
  if (!('anyOf' in schema) || !Array.isArray(schema.anyOf)) return null;
  const branches = schema.anyOf as readonly { readonly const?: unknown }[];
  return branches.every((branch) => branch.const !== undefined)
    ? branches.map((branch) => branch.const)
    : null;
}

function describedAs(schema: object): { readonly description?: unknown } {
  return 'description' in schema ? { description: schema.description } : {};
}

function shortenedValue(keyword: string, value: unknown): unknown {
  if (keyword === 'items') return shortened(value);
  if (keyword !== 'properties' || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, shortened(property)]));
}
