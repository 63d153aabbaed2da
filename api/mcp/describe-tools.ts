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
    ...(tool.output === undefined ? {} : { outputSchema: describeResult(tool, tool.output) }),
    annotations: annotationsOf(tool),
  }));
}

/** The hints that are left out are false by default, and the others mean nothing for a tool that only reads. */
function annotationsOf({ readOnly, annotations: said = {} }: Tool): ToolDescription['annotations'] {
  const openWorldHint = said.openWorldHint === true;
  if (readOnly) return { readOnlyHint: true, openWorldHint };
  const repeats = said.idempotentHint === true ? { idempotentHint: true } : {};
  return { destructiveHint: said.destructiveHint === true, ...repeats, openWorldHint };
}

function describeArguments({ arguments: schema, about = {} }: Tool) {
  const required: readonly string[] = schema.required ?? [];
  return {
    type: 'object' as const,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        described(asSchema(property), name, about),
      ]),
    ),
    ...(required.length === 0 ? {} : { required: [...required] }),
  };
}

type Schema = Readonly<Record<string, unknown>>;

function describeResult({ name, calls }: Tool, output: readonly string[]) {
  const bodies = calls.flatMap(({ endpoint: { responses } }) => responses[200]?.schema ?? []);
  const [body] = bodies;
  invariant(body !== undefined && bodies.length === 1, `The tool ${name} has no or several bodies.`);
  return { ...describeFields(asSchema(body), output), type: 'object' as const };
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

/**
 * Keywords that the hub checks anyway. Its error messages explain them better, and they make up a third of the list.
 * Descriptions are for the API reference: a tool has its own.
 */
const omitted = new Set([
  'description',
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

type Words = Readonly<Record<string, string>>;

/** @param name of the argument, or of a field in it, such as `target.url` */
function described(schema: Schema, name: string, about: Words): Schema {
  const description = about[name];
  const full = shortened(schema, name, about);
  if (description === undefined) return full;
  const { type } = full;
  return { ...(type === 'object' || type === 'array' ? { type } : full), description };
}

function shortened(schema: Schema, name: string, about: Words): Schema {
  const { anyOf, ...rest } = schema;
  if (Array.isArray(anyOf)) {
    const branches = anyOf as readonly Schema[];
    if (branches.every((branch) => branch['const'] !== undefined))
      return { enum: branches.map((branch) => branch['const']), ...shortened(rest, name, about) };
    // Some hosts show a union with null as an unknown type. Leaving the argument out means the same.
    const [first, second] = branches;
    if (first !== undefined && second?.['type'] === 'null') return shortened(first, name, about);
  }
  const { default: usual, maximum } = schema;
  // No and none need no words, and neither does as much as possible.
  const isPlain = usual === false || usual === 0 || (usual !== undefined && usual === maximum);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !omitted.has(keyword) && !(keyword === 'default' && isPlain))
      .filter(([keyword]) => !(keyword === 'maximum' && maximum === usual))
      .map(([keyword, value]) => {
        if (keyword === 'items') return [keyword, shortened(asSchema(value), name, about)];
        if (keyword !== 'properties') return [keyword, value];
        const fields = Object.entries(asSchema(value));
        return [
          keyword,
          Object.fromEntries(
            fields.map(([field, inner]) => [field, described(asSchema(inner), `${name}.${field}`, about)]),
          ),
        ];
      }),
  );
}
