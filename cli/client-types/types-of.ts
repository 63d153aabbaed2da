/** Turns an OpenAPI document into what the clients need: the named schemas as types, and a table of the operations. */

import type { Flag } from '#client/command/flags.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly required?: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

interface NamedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function typesOf(document: Document): string {
  const { components } = document;
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const { properties = {} } = components.schemas['RedemptionRequest'] ?? {};
  const fields = Object.entries(properties)
    .filter(([name]) => !madeFields.includes(name))
    .map(([name, schema]) => `  '${name.replaceAll('_', '-')}': ${JSON.stringify(flagOf(schema))},`);
  const operations = operationsOf(document);
  const types = operations.map(
    ({ operation }) =>
      `  ${operation.operationId}: { args: ${argsOf(operation, components)}; result: ${resultOf(operation)} };`,
  );
  const rows = operations.map(({ path, method, operation }) => {
    const query = queryOf(operation, components).replaceAll('"', "'");
    return `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}', query: ${query} },`;
  });
  return `// Generated from the hub's OpenAPI document by cli/client-types.ts.

${schemas.join('\n')}

export interface Operations {
${types.join('\n')}
}

export const operations = {
${rows.join('\n')}
} as const satisfies Readonly<
  Record<
    keyof Operations,
    { readonly method: string; readonly path: string; readonly query: readonly string[] }
  >
>;

/** Fields of a redemption, as flags of the command \`evaluate\`. */
export const redemptionFields = {
${fields.join('\n')}
} as const;
`;
}

/** The operations for the Python client. */
export function pythonOperationsOf(document: Document): string {
  const rows = operationsOf(document).map(({ path, method, operation }) => {
    const query = queryOf(operation, document.components).replaceAll(',', ', ');
    return `    "${operation.operationId}": ("${method.toUpperCase()}", "${path}", ${query}),`;
  });
  return `"""Generated from the hub's OpenAPI document by cli/client-types.ts."""

from typing import Dict, List, Tuple

OPERATIONS: Dict[str, Tuple[str, str, List[str]]] = {
${rows.join('\n')}
}
"""Method, path and query parameters, by name."""
`;
}

/** Whether its body is any text, which the clients do not send. */
function takesText({ requestBody }: Operation): boolean {
  return requestBody?.content?.['application/json']?.schema.type === 'string';
}

/** Those that return JSON, by name. */
function operationsOf({ paths }: Document): readonly NamedOperation[] {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ operation }) => resultOf(operation) !== null && !takesText(operation))
    .toSorted((one, other) => (one.operation.operationId < other.operation.operationId ? -1 : 1));
}

/** The names, as a list in JSON. */
function queryOf(operation: Operation, components: Document['components']): string {
  return JSON.stringify(parametersOf(operation, components, 'query').map(({ name }) => name));
}

function parametersOf(
  { parameters = [] }: Operation,
  components: Document['components'],
  place: string,
): Parameter[] {
  return (
    parameters
      // The client reads the JSON.
      .filter(({ $ref }) => $ref !== '#/components/parameters/Format')
      .map((one) => (one.$ref === undefined ? one : components.parameters[nameIn(one.$ref)]))
      .filter((one): one is Parameter => one !== undefined && one.in === place)
  );
}

/** Path, query and body in one object: their names do not collide. */
function argsOf(operation: Operation, components: Document['components']): string {
  const parameters = ['path', 'query'].flatMap((place) => parametersOf(operation, components, place));
  const fields = parameters.map(
    ({ name, required, schema }) => `${name}${required === true ? '' : '?'}: ${typeOf(schema)}`,
  );
  const body = operation.requestBody?.content?.['application/json']?.schema;
  const own = fields.length === 0 ? [] : [`{ ${fields.join('; ')} }`];
  const all = body === undefined ? own : [...own, typeOf(body)];
  return all.length === 0 ? '{}' : all.join(' & ');
}

/** Null if the operation returns no JSON. */
function resultOf({ responses }: Operation): string | null {
  const results = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);
  return results.length === 0 ? null : [...new Set(results.map(typeOf))].join(' | ');
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'");
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.length === 0 ? 'unknown' : types.map((type) => plainType(type, schema)).join(' | ');
}

function plainType(type: string, schema: Schema): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectType(schema);
    default:
      return type;
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined) {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
    return `Record<string, ${values}>`;
  }
  const fields = Object.entries(properties).map(
    ([name, property]) =>
      `${/^\w+$/.test(name) ? name : `'${name}'`}${required.includes(name) ? '' : '?'}: ${typeOf(property)}`,
  );
  return `{ ${fields.join('; ')} }`;
}

/** Fields of a redemption that the command `evaluate` makes itself, from several flags. */
const madeFields = ['product', 'target', 'target_url', 'suite', 'baseline'];

/** The flags of the command, for the Python client. */
export function pythonFlagsOf(
  flags: Readonly<Record<string, Flag>>,
  fields: readonly string[],
  usage: string,
): string {
  const rows = Object.entries(flags).map(
    ([name, { about: _about, shows: _shows, ...flag }]: [string, Flag & { shows?: string }]) =>
      `    "${name}": ${JSON.stringify(flag)},`,
  );
  return `"""Generated from client/src/command/flags.ts by cli/client-types.ts."""

from typing import Any, Dict, List

USAGE = """\\
${usage.replaceAll('\\', '\\\\')}"""

FLAGS: Dict[str, Dict[str, Any]] = {
${rows.join('\n')}
}
"""What each flag takes, by name."""

FIELDS: List[str] = ${JSON.stringify(fields).replaceAll(',', ', ')}
"""Those that are fields of a redemption."""
`;
}

/** The hub checks the form of a text. */
function flagOf(schema: Schema): Flag {
  const kinds = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
  const [first = schema] = kinds;
  const about = (schema.description ?? first.description ?? '')
    .replaceAll('`', '')
    .replace(/\.$/, '')
    .replace(/^./, (letter) => letter.toLowerCase());
  const values = kinds
    .flatMap(({ const: value, enum: listed = [value] }) => listed)
    .filter((value) => value !== undefined);
  if (values.length > 0) return { kind: 'choice', values: values as (string | number)[], about };
  if (first.type === 'boolean') return { kind: 'switch', about };
  if (first.type === 'integer')
    return { kind: 'whole', least: first.minimum ?? 0, most: first.maximum ?? 9_999, about };
  return { kind: 'line', most: first.maxLength ?? 100, about };
}
