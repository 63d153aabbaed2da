/**
 * Tools, declared with the words of `registerTool` in the MCP SDK. The arguments of a tool are the parameters and body
 * fields of the operations that it calls, so it has no schema of its own that could disagree.
 */
import { Type, type TObject, type TSchema } from 'typebox';
import { invariant } from '#domain/errors.ts';
import { patterned } from '#runtime/schema-parts.ts';
import type { Endpoint } from '../endpoint.ts';
import { keyForm, keyRule } from '../request/input.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Calls the operation that the arguments choose. @param more values that the tool sets itself; those that the operation does not take are dropped */
export type CallOperation = (more?: Arguments) => Promise<unknown>;

/** Where a result has images, for models to see: as data URLs, beside its fields. */
export const shownImages = Symbol('shownImages');

export interface ToolDeclaration {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For a language model that chooses between tools. */
  readonly description: string;
  /** By default a tool changes something of this hub, adds to it, and does so with each call, or only reads (GET). */
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: true;
    readonly idempotentHint?: true;
    readonly openWorldHint?: true;
  };
  /** By id, each with the arguments that choose it: the first whose are all given is called. Their hints name this tool. */
  readonly operations: Readonly<Record<string, readonly string[]>>;
  /** The arguments for path parameters, such as `run_id` for `id`. */
  readonly names?: Readonly<Record<string, string>>;
  /** Parameters and fields that are no arguments, to keep the list of tools short. */
  readonly without?: readonly string[];
  /** Required ones that `run` fills in. */
  readonly optional?: readonly string[];
  /** Arguments that reach no operation: they choose one, or `run` reads them. */
  readonly input?: Readonly<Record<string, TSchema>>;
  /**
   * The operations with which the caller may send an `Idempotency-Key` as `idempotency_key`. Without one, a repetition
   * within a minute has no further effect.
   */
  readonly keyed?: readonly string[];
  /** Describes arguments whose names are not clear enough. That of an object or a list also describes its parts. */
  readonly about?: Readonly<Record<string, string>>;
  /**
   * Fields that every result has, for programs that read it, such as `run.id`. Their types are those of the responses.
   * Only a few tools have them: they make the list longer.
   */
  readonly output?: readonly string[];
  /** By default, the body of the operation is the result. A field `note` says what a model should know or do next. */
  readonly run?: (given: Arguments, call: CallOperation) => unknown;
}

/** An operation as a tool calls it. */
export interface ToolOperation {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly chosenBy: readonly string[];
  /** Its arguments, by their names. */
  readonly fields: Readonly<Record<string, Argument>>;
  /** What a call of it takes; arguments of the other operations are checked, but not needed. */
  readonly schema: TObject;
}

interface Argument {
  readonly schema: TSchema;
  readonly required: boolean;
  /** The name and the part of the request. */
  readonly name: string;
  readonly part: 'params' | 'query' | 'body' | 'key';
}

export interface Tool extends ToolDeclaration {
  readonly calls: readonly ToolOperation[];
  readonly readOnly: boolean;
  readonly arguments: TObject;
}

export type OperationNamed = (id: string) => Endpoint;

export function createTool(declaration: ToolDeclaration, operationNamed: OperationNamed): Tool {
  const { name, operations, input = {}, annotations = {} } = declaration;
  const own = Object.keys(operations).map((id) => ({
    id,
    endpoint: operationNamed(id),
    chosenBy: operations[id] ?? [],
    fields: argumentsOf(id, operationNamed(id), declaration),
  }));
  const all: Record<string, Argument> = {};
  for (const { fields } of own)
    for (const [argument, field] of Object.entries(fields)) all[argument] ??= field;
  for (const argument of Object.keys(input))
    invariant(!(argument in all), `The argument ${argument} of the tool ${name} is also a parameter.`);
  const schemaWith = (isRequired: (argument: string) => boolean): TObject => {
    const given = Object.entries(all).map(([argument, { schema }]) => [
      argument,
      isRequired(argument) ? schema : Type.Optional(schema),
    ]);
    const others = Object.entries(input).map(([argument, schema]) => [argument, Type.Optional(schema)]);
    return Type.Object(Object.fromEntries([...others, ...given]), { additionalProperties: false });
  };
  return {
    ...declaration,
    calls: own.map((one) => ({
      ...one,
      schema: schemaWith((argument) => one.fields[argument]?.required === true),
    })),
    readOnly: annotations.readOnlyHint ?? own.every(({ endpoint }) => endpoint.method === 'GET'),
    arguments: schemaWith((argument) => own.every(({ fields }) => fields[argument]?.required === true)),
  };
}

const keySchema = patterned(keyForm.source, keyRule);

function argumentsOf(
  id: string,
  endpoint: Endpoint,
  { names = {}, without = [], optional = [], keyed = [] }: ToolDeclaration,
): ToolOperation['fields'] {
  const parts = (['params', 'query', 'body'] as const).flatMap((part) =>
    fieldsOf(endpoint[part])
      // Models get the JSON.
      .filter(({ name }) => !(part === 'query' && name === 'format' && endpoint.markdown !== undefined))
      .filter(({ name }) => !without.includes(name))
      .map(({ name, schema, required }) => {
        const argument = part === 'params' ? (names[name] ?? name) : name;
        return [argument, { schema, required: required && !optional.includes(name), name, part }] as const;
      }),
  );
  const key = { schema: keySchema, required: false, name: '', part: 'key' } as const;
  return { ...Object.fromEntries(parts), ...(keyed.includes(id) ? { idempotency_key: key } : {}) };
}

function fieldsOf(schema: TSchema | undefined) {
  // Bodies and parameters of endpoints are objects.
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    required: required.includes(name),
  }));
}

/** A field that is null tells a model nothing. */
export function withoutEmptyFields(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const filled = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(filled.map(([name, value]) => [name, withoutEmptyFields(value)]));
}
