/** The door of MCP: runs a tool by calling its operation, and makes a result that models can act on. */
import type { TSchema } from 'typebox';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { DomainError, invariant } from '#domain/errors.ts';
import type { NameOperation } from '#domain/operation.ts';
import { publicCode, errorTable } from '../errors/error-table.ts';
import { createValidator, isSearch, requestIdOf } from '../request/input.ts';
import { hintOf, retryAfterOf } from '../response/responses.ts';
import { type Arguments, shownImages, type Tool, type ToolOperation } from './tool.ts';
import { writeExactJson } from '#evals/own-suite/exact-json.ts';
import { type Endpoint, JsonResponse } from '../endpoint.ts';
import { type Arrival, createPipeline, type Door, type Stages } from '../pipeline.ts';
import { defaultBodyMaxBytes, requirePlainText, tooLarge } from '../request/body.ts';
import { object } from '../schemas.ts';

export interface ToolCall {
  readonly carrier: Carrier;
  readonly given: Arguments;
  /** Whether the client shows models the structured content, so that the text need not repeat it. */
  readonly readsStructured: boolean;
}

export type RunTool = (call: ToolCall) => Promise<CallToolResult>;

/** @returns a function that throws what the operation responds with */
export function createRunTool(tool: Tool, callEndpoint: CallEndpoint): RunTool {
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
    validators.get(operation)?.check(given);
    refuseUnused(tool, operation, given);
    const shown = asObject(await run(given, call));
    return resultOf({ ...shown, ...(isRepeated ? { repeated: repeatedNote } : {}) }, readsStructured);
  };
}

/** Returns the operation that the given arguments choose. */
export function operationFor({ name, calls }: Tool, given: Arguments): ToolOperation {
  const isGiven = (argument: string): boolean => given[argument] !== undefined && given[argument] !== null;
  const chosen = calls.find(({ chosenBy }) => chosenBy.every(isGiven)) ?? calls.at(-1);
  invariant(chosen !== undefined, `The tool ${name} calls an operation.`);
  return chosen;
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
  const { [shownImages]: images = [], ...structuredContent } = asObject(body);
  const text = readsStructured ? structuredNote : JSON.stringify(structuredContent);
  return { content: [{ type: 'text', text }, ...images.map(imageBlock)], structuredContent };
}

function imageBlock(url: string) {
  const [, mimeType = '', data = ''] = /^data:([^;]*);base64,(.*)$/.exec(url) ?? [];
  return { type: 'image', mimeType, data } as const;
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
function asObject(body: unknown): Record<string, unknown> & { [shownImages]?: readonly string[] } {
  return typeof body === 'object' && body !== null ? { ...body } : { value: body };
}

/** The request that carries the MCP message. Its caller is the caller of the endpoint. */
export interface Carrier {
  readonly request: Request;
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly body: unknown;
  /** Whether it is the result of an earlier call with the same key. */
  readonly isRepeated: boolean;
}

/** @throws DomainError as the operation would respond with */
export type CallEndpoint = (carrier: Carrier, endpoint: Endpoint, values: Values) => Promise<Answer>;

/** A tool call or a resource as it comes in. */
interface McpArrival extends Arrival {
  readonly signal: AbortSignal;
  readonly values: Values;
}

type Reply = { readonly status: number } & (Answer | { readonly error: DomainError });

/** @param nameOf how hints name operations to the client */
export function createCallEndpoint(stages: Stages, nameOf: NameOperation): CallEndpoint {
  const doorOf = (endpoint: Endpoint): Door<McpArrival, Reply> => ({
    read: createValuesReader(endpoint),
    keyOf: ({ values }) => values.key,
    signalOf: ({ signal }) => signal,
    nameOf,
    write: async (result) => ({ status: result.status, ...(await answerOf(result)) }),
    refuse: (error) => ({ status: errorTable[error.code].status, error }),
  });
  const pipelines = new Map<Endpoint, (arrival: McpArrival) => Promise<Reply>>();
  return async ({ request, signal }, endpoint, values) => {
    const pipeline = pipelines.getOrInsertComputed(endpoint, () =>
      createPipeline(endpoint, stages, doorOf(endpoint)),
    );
    const reply = await pipeline({
      request,
      signal,
      requestId: requestIdOf(request),
      method: endpoint.method,
      isSearch: isSearch(new Set(Object.keys(values.query))),
      values,
    });
    if ('error' in reply) throw reply.error;
    return reply;
  };
}

/** What is sent, by its part of the request. */
export interface Values {
  readonly params: Arguments;
  readonly query: Arguments;
  readonly body: Arguments;
  /** The idempotency key; undefined makes one from what is given. */
  readonly key: string | null | undefined;
}

/**
 * Bodies have been checked as the arguments of a tool; what is in the address of a resource, or is completed, has not.
 *
 * @returns a function that throws DomainError invalid_parameter, body_too_large or invalid_body
 */
function createValuesReader({
  params: paramsSchema = object({}),
  query: querySchema = object({}),
  body: bodySchema,
  bodyMaxBytes = defaultBodyMaxBytes,
  exactNumbers,
}: Endpoint): Door<McpArrival, Reply>['read'] {
  const paramsValidator = createValidator(paramsSchema, 'invalid_parameter', 'The path');
  const queryValidator = createValidator(querySchema, 'invalid_parameter', 'The query');
  return ({ values: { params, query, body } }) => {
    paramsValidator.check(params);
    queryValidator.check(query);
    const rawBody = new Uint8Array();
    if (bodySchema === undefined) return { params, query, body: null, rawBody };
    const text = exactNumbers === true ? writeExactJson(body) : JSON.stringify(body);
    if (Buffer.byteLength(text) > bodyMaxBytes) throw tooLarge(bodyMaxBytes);
    requirePlainText(text);
    return { params, query, body, rawBody };
  };
}

async function answerOf(result: JsonResponse | Response): Promise<Answer> {
  if (result instanceof JsonResponse) {
    const isRepeated = result.headers['idempotent-replayed'] === 'true';
    return { body: result.body, isRepeated };
  }
  const text = await result.text();
  const isJson = result.headers.get('content-type')?.startsWith('application/json') === true;
  return { body: isJson ? JSON.parse(text) : { text }, isRepeated: false };
}
