/**
 * The definition of a tool: its name, its description, a closed JSON Schema of its arguments, and its effect on an
 * office.
 */
import { type Static, type TEnum, type TObject, type TProperties, Type } from 'typebox';
import { compileSchema } from '#runtime/compile-schema.ts';
import { describeErrors } from '#runtime/validation-messages.ts';
import type { Office } from './office.ts';

export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
}

export type ToolResult = Readonly<Record<string, unknown>>;

/** What a tool can use besides the office. */
export interface ToolHost {
  readonly office: Office;
  /** The scripted user's reply. */
  ask(question: string): string;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: TObject;
  /** True for tools that change the office. */
  readonly writes: boolean;
  /** Checks `args` and runs the tool. An error is a result with the fields `error` and `message`. */
  run(host: ToolHost, args: unknown): ToolResult;
}

/** The maximum length of an argument, in characters. */
export const argumentTextMax = 8_000;
const shownErrorsMax = 3;
/** The number of items on one page of a search. */
export const pageItems = 10;

export const text = (description: string, maxLength = 200) =>
  Type.String({ minLength: 1, maxLength, description });
/** One of these words. */
export function oneOf<const Words extends readonly string[]>(
  words: Words,
  description: string,
): TEnum<[...Words]> {
  // TypeBox infers the members only from an array literal, not from an array that is passed on.
  return Type.Enum([...words], { type: 'string', description }) as unknown as TEnum<[...Words]>;
}
export const page = () =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Page of 10 matches. Default 1.' }));

export function declareTool<Properties extends TProperties>(
  declaration: { readonly name: string; readonly description: string; readonly writes?: boolean },
  properties: Properties,
  handle: (host: ToolHost, args: Static<TObject<Properties>>) => ToolResult,
): Tool {
  const schema = Type.Object(properties, { additionalProperties: false });
  return {
    name: declaration.name,
    description: declaration.description,
    writes: declaration.writes ?? false,
    parameters: withoutRules(schema),
    run(host, args) {
      const compiled = compileSchema(schema);
      if (compiled.Check(args)) return handle(host, args);
      const messages = describeErrors(compiled.Errors(args), schema, args, 'The value of `args`');
      return failure('invalid_arguments', messages.slice(0, shownErrorsMax).join(' '));
    },
  };
}

/** The schema as agents see it: some providers accept no keywords of others. */
function withoutRules(schema: TObject): TObject {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === 'x-rule' ? undefined : value));
  // A copy of the schema, without a keyword that validation ignores.
  return JSON.parse(text) as TObject;
}

export function failure(error: string, message: string): ToolResult {
  return { error, message };
}

export function notFound(kind: string, id: string): ToolResult {
  return failure('not_found', `There is no ${kind} ${JSON.stringify(id)}.`);
}

/** One page of `items`; `more` is true if another page follows. */
export function pageOf(items: readonly object[], number = 1): ToolResult {
  const start = (number - 1) * pageItems;
  return { items: items.slice(start, start + pageItems), more: items.length > start + pageItems };
}

/** Whether every word of `query` is in one of `texts`, in any letter case. */
export function matchesQuery(query: string | undefined, texts: readonly string[]): boolean {
  const haystack = texts.join('\n').toLowerCase();
  return (query ?? '')
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
