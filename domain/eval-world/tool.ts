/**
 * The definition of a tool: its name, its description, a closed JSON Schema of its arguments, and its effect on an
 * office.
 */
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { compileSchema } from '#runtime/compile-schema.ts';
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
/** The number of items on one page of a search. */
export const pageItems = 10;

export const text = (description: string, maxLength = 200) =>
  Type.String({ minLength: 1, maxLength, description });
export const page = () =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Page of 10 matches. Default 1.' }));

export function declareTool<Properties extends TProperties>(
  declaration: { readonly name: string; readonly description: string; readonly writes?: boolean },
  properties: Properties,
  handle: (host: ToolHost, args: Static<TObject<Properties>>) => ToolResult,
): Tool {
  const parameters = Type.Object(properties, { additionalProperties: false });
  return {
    name: declaration.name,
    description: declaration.description,
    writes: declaration.writes ?? false,
    parameters,
    run(host, args) {
      const compiled = compileSchema(parameters);
      if (!compiled.Check(args)) {
        const [first] = compiled.Errors(args);
        const place =
          first === undefined || first.instancePath === ''
            ? 'The arguments'
            : `\`${first.instancePath.slice(1)}\``;
        return failure('invalid_arguments', `${place} ${first?.message ?? 'are not valid'}.`);
      }
      return handle(host, args);
    },
  };
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
