/** Runs a tool and turns the response of its endpoint into a result that models can act on. */
import type { TSchema } from 'typebox';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { DomainError } from '#domain/errors.ts';
import type { NameOperation } from '#domain/operation.ts';
import { publicCode } from '../errors/error-table.ts';
import { createValidator } from '../request/input.ts';
import { hintOf, retryAfterOf } from '../response/responses.ts';
import type { CallEndpoint, Carrier, CountUnserved, Values } from './call-endpoint.ts';
import { type Arguments, operationFor, type Tool, type ToolOperation } from './tool.ts';

export interface ToolCall {
  readonly carrier: Carrier;
  readonly given: Arguments;
  /** Whether the client shows models the structured content, so that the text need not repeat it. */
  readonly readsStructured: boolean;
}

export type RunTool = (call: ToolCall) => Promise<CallToolResult>;

export interface RunToolDeps {
  readonly callEndpoint: CallEndpoint;
  readonly countUnserved: CountUnserved;
  /** How hints name operations to the client. */
  readonly nameOf: NameOperation;
}

export function createRunTool(tool: Tool, { callEndpoint, countUnserved, nameOf }: RunToolDeps): RunTool {
  const validators = new Map(
    tool.calls.map((one) => [one, createValidator(one.schema, 'invalid_body', 'The arguments object')]),
  );
  const { run = (_given, call) => call() } = tool;
  return async ({ carrier, given, readsStructured }) => {
    const operation = operationFor(tool, given);
    let isRepeated = false;
    const call = async (more: Arguments = {}): Promise<unknown> => {
      const answer = await callEndpoint(carrier, operation.endpoint, valuesOf(operation, given, more));
      ({ isRepeated } = answer);
      return answer.body;
    };
    try {
      validators.get(operation)?.check(given);
      refuseUnused(tool, operation, given);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return refusedResult((await countUnserved(carrier)) ?? error, nameOf);
    }
    try {
      const shown = asObject(await run(given, call));
      return resultOf({ ...shown, ...(isRepeated ? { repeated: repeatedNote } : {}) }, readsStructured);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return refusedResult(error, nameOf);
    }
  };
}

function valuesOf({ endpoint, fields }: ToolOperation, given: Arguments, more: Arguments): Values {
  const parts: Record<'params' | 'query' | 'body', Record<string, unknown>> = {
    params: {},
    query: {},
    body: {},
  };
  // Undefined makes a key, as a model that repeats itself must not pay twice.
  let key: string | null | undefined = 'idempotency_key' in fields ? undefined : null;
  for (const [argument, { name, part }] of Object.entries(fields)) {
    const value = given[argument];
    if (value === undefined) continue;
    if (part !== 'key') parts[part][name] = value;
    // The schema of the argument has been checked.
    else key = value as string;
  }
  for (const [name, value] of Object.entries(more)) {
    if (takes(endpoint.query, name)) parts.query[name] = value;
    else if (takes(endpoint.body, name)) parts.body[name] = value;
  }
  return { ...parts, key };
}

const repeatedNote =
  'You made the same call before, so nothing new has happened. To do it again, send another idempotency_key.';

const structuredNote = 'The result is in structuredContent.';

function takes(part: TSchema | undefined, name: string): boolean {
  return part !== undefined && 'properties' in part && name in (part.properties as object);
}

/** An argument that the chosen operation does not take must not be dropped silently. */
function refuseUnused(
  { readOnly, input = {}, calls, description }: Tool,
  operation: ToolOperation,
  given: Arguments,
): void {
  if (readOnly) return;
  const { fields, chosenBy } = operation;
  const choosing = new Set(calls.flatMap((one) => one.chosenBy));
  const isTaken = (name: string): boolean =>
    name in fields ||
    chosenBy.includes(name) ||
    (name in input && !choosing.has(name)) ||
    name === 'idempotency_key';
  const unused = Object.keys(given).find((name) => given[name] !== undefined && !isTaken(name));
  if (unused === undefined) return;
  const others = Object.keys(given).filter((name) => name !== unused && name in fields);
  throw new DomainError(
    'invalid_body',
    others.length === 0
      ? `\`${unused}\` cannot be sent alone.`
      : `\`${unused}\` cannot be combined with ${others.map((name) => `\`${name}\``).join(', ')}.`,
    { hint: `Leave out \`${unused}\`. ${description}` },
  );
}

/** @param readsStructured whether the text need not repeat the structured content */
export function resultOf(body: unknown, readsStructured: boolean): CallToolResult {
  const structuredContent = asObject(body);
  const text = readsStructured ? structuredNote : JSON.stringify(structuredContent);
  return { content: [{ type: 'text', text }], structuredContent };
}

/**
 * What a model needs to know about an error. A result, not a protocol error: hosts show its text to the model, which can
 * then correct its call.
 */
export function refusedResult(error: DomainError, nameOf: NameOperation): CallToolResult {
  const retryAfter = retryAfterOf(error);
  const refusal = {
    error: publicCode(error.code),
    message: error.message,
    hint: hintOf(error, nameOf),
    ...(retryAfter === undefined ? {} : { retry_after_seconds: retryAfter }),
  };
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(refusal) }],
    structuredContent: refusal,
  };
}

/** Structured content is an object; the bodies of the API are too. */
function asObject(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : { value: body };
}
