/**
 * The declaration of a tool, placed next to the endpoints that it calls. Its arguments are the parameters and
 * body fields of those endpoints, so a tool has no schema of its own that could disagree.
 */
import { Type, type TObject, type TSchema } from 'typebox';
import { invariant } from '#domain/errors.ts';
import type { Endpoint } from '../endpoint.ts';

export interface ToolRoute {
  readonly endpoint: Endpoint;
  /** The arguments that choose this route when they are all given; by default its path parameters. */
  readonly chosenBy?: readonly string[];
  /** The argument names of path parameters, such as `eval_job_id` for `id`. */
  readonly names?: Readonly<Record<string, string>>;
  /** Optional parameters and fields to leave out, to keep the list of tools short. */
  readonly without?: readonly string[];
  /** Values that the tool sets itself. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Makes required values that the caller left out. */
  readonly made?: Readonly<Record<string, () => unknown>>;
  /**
   * Whether the caller may send an `Idempotency-Key` as `idempotency_key`. Without one, a repetition within a minute has
   * no further effect.
   */
  readonly keyed?: true;
}

export interface ToolDeclaration {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** What it does; by default it changes something of this hub, adds to it, and does so with each call. */
  readonly hints?: {
    /** By default, whether every route is a GET. */
    readonly readOnly?: boolean;
    /** Whether it may end or overwrite something. */
    readonly destructive?: true;
    /** Whether a repetition changes nothing more. */
    readonly idempotent?: true;
    /** Whether it may call addresses outside the hub. */
    readonly openWorld?: true;
  };
  /** Arguments whose inner fields are described elsewhere. */
  readonly brief?: readonly string[];
  /** For a language model that chooses between tools. */
  readonly description: string;
  /** The first whose `chosenBy` are all given is called; the last needs none. */
  readonly routes: readonly [ToolRoute, ...ToolRoute[]];
  /** Endpoints with the same parameters that do the same for one product: hints that name them name this tool. */
  readonly alsoNames?: readonly Endpoint[];
  /** Arguments that only choose a route. */
  readonly switches?: Readonly<Record<string, TSchema>>;
  /** Arguments that reach no endpoint: only `shape` reads them. */
  readonly shaping?: Readonly<Record<string, TSchema>>;
  /**
   * Fields that every structured result has, for programs that read it, such as `run.id`. Their types are those of the
   * responses. Only a few tools have them: they make the list longer.
   */
  readonly returns?: readonly string[];
  /** Shorter words for arguments whose descriptions are written for the API reference. */
  readonly about?: Readonly<Record<string, string>>;
  /** Reduces a successful response to what a model needs. */
  readonly shape?: (body: unknown, given: Readonly<Record<string, unknown>>) => unknown;
  /** What a model should know or do next, if the other fields of a result do not say it. The result has it as `note`. */
  readonly note?: (shaped: unknown) => string | undefined;
}

export interface Tool extends ToolDeclaration {
  /** Whether every route only reads. */
  readonly readOnly: boolean;
  readonly arguments: TObject;
}

export function tool(declaration: ToolDeclaration): Tool {
  const { name, routes, switches = {}, shaping = {}, hints = {} } = declaration;
  const all = routes.map(argumentsOf);
  const own = { ...switches, ...shaping };
  const properties: Record<string, TSchema> = { ...own };
  for (const { fields } of all) {
    for (const [field, { schema }] of Object.entries(fields)) properties[field] ??= schema;
  }
  const required = new Set(
    Object.keys(properties).filter((field) => all.every(({ fields }) => fields[field]?.required === true)),
  );
  for (const { fields } of all) {
    for (const field of Object.keys(fields)) {
      invariant(!(field in own), `The argument ${field} of the tool ${name} is also a parameter.`);
    }
  }
  return {
    ...declaration,
    readOnly: hints.readOnly ?? routes.every(({ endpoint }) => endpoint.method === 'GET'),
    arguments: Type.Object(
      Object.fromEntries(
        Object.entries(properties).map(([field, schema]) => [
          field,
          required.has(field) ? schema : Type.Optional(schema),
        ]),
      ),
      { additionalProperties: false },
    ),
  };
}

/** What a route takes; arguments of the other routes are allowed. */
export function argumentsFor({ arguments: { properties } }: Tool, route: ToolRoute): TObject {
  const { fields } = argumentsOf(route);
  const own = Object.entries(fields).map(([name, { schema, required }]) => [
    name,
    required ? schema : Type.Optional(schema),
  ]);
  const others = Object.entries(properties)
    .filter(([name]) => !(name in fields))
    .map(([name, schema]) => [name, Type.Optional(schema)]);
  return Type.Object(Object.fromEntries([...own, ...others]), { additionalProperties: false });
}

interface Argument {
  readonly schema: TSchema;
  readonly required: boolean;
  /** The name and the part of the request. */
  readonly name: string;
  readonly part: 'path' | 'query' | 'body' | 'key';
}

const keySchema = Type.String({ minLength: 1, maxLength: 200 });

/** The arguments of a route, by their names. */
export function argumentsOf({
  endpoint,
  names = {},
  without = [],
  fixed = {},
  made = {},
  keyed,
}: ToolRoute): {
  readonly fields: Readonly<Record<string, Argument>>;
} {
  const fields: Record<string, Argument> = {};
  const add = (part: Argument['part'], schema: TSchema | undefined): void => {
    if (schema === undefined) return;
    // Bodies and parameters of endpoints are objects.
    const { properties, required = [] } = schema as {
      readonly properties: Readonly<Record<string, TSchema>>;
      readonly required?: readonly string[];
    };
    for (const [name, property] of Object.entries(properties)) {
      // Models get the JSON.
      const isFormat = part === 'query' && name === 'format' && endpoint.markdown !== undefined;
      if (isFormat || without.includes(name) || name in fixed) continue;
      const argument = part === 'path' ? (names[name] ?? name) : name;
      fields[argument] = {
        schema: property,
        required: required.includes(name) && !(name in made),
        name,
        part,
      };
    }
  };
  add('path', endpoint.params);
  add('query', endpoint.query);
  add('body', endpoint.body);
  if (keyed === true)
    fields['idempotency_key'] = { schema: keySchema, required: false, name: '', part: 'key' };
  return { fields };
}

/** Returns the route that the given arguments choose. */
export function routeFor({ routes }: Tool, given: Readonly<Record<string, unknown>>): ToolRoute {
  const isGiven = (name: string): boolean => given[name] !== undefined && given[name] !== null;
  const chosen = routes.find((route) => choosersOf(route).every(isGiven));
  return chosen ?? routes.at(-1) ?? routes[0];
}

function choosersOf({ endpoint, names = {}, chosenBy }: ToolRoute): readonly string[] {
  return chosenBy ?? Object.keys(endpoint.params?.properties ?? {}).map((name) => names[name] ?? name);
}

/** A field that is null tells a model nothing. */
export function withoutEmptyFields(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const filled = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(filled.map(([name, value]) => [name, withoutEmptyFields(value)]));
}
