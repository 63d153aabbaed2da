/** Runs a tool and turns the response of its endpoint into a result that models can act on. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { DomainError } from '#domain/errors.ts';
import { errorTable, publicCode } from '../errors/error-table.ts';
import { createValidator } from '../request/validator.ts';
import type { CallEndpoint, Carrier, CountUnserved } from './call-endpoint.ts';
import { argumentsOf, routeFor, type Tool, type ToolRoute, withPresentNames } from './tool.ts';

export interface ToolCall {
  readonly carrier: Carrier;
  readonly given: Readonly<Record<string, unknown>>;
  /** Whether the client shows models the structured content, so that the text need not repeat it. */
  readonly readsStructured: boolean;
}

export type RunTool = (call: ToolCall) => Promise<CallToolResult>;

export function createRunTool(tool: Tool, callEndpoint: CallEndpoint, countUnserved: CountUnserved): RunTool {
  const validator = createValidator(tool.arguments, 'invalid_body', 'The arguments object');
  return async ({ carrier, given: sent, readsStructured }) => {
    const given = withPresentNames(tool, sent);
    const route = routeFor(tool, given);
    try {
      validator.check(given);
      requirePathArguments(route, given);
      refuseUnused(tool, route, given);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return refusedResult((await countUnserved(carrier)) ?? error);
    }
    const response = await callWithElse(callEndpoint, carrier, route, given);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body: unknown = isJson ? JSON.parse(text) : { text };
    if (!response.ok) return failedResult(body, response.headers.get('retry-after'));
    let shaped: unknown;
    try {
      shaped = tool.shape === undefined ? body : tool.shape(body, given);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return refusedResult(error);
    }
    const isRepeated = response.headers.get('idempotent-replayed') === 'true';
    const note = tool.note?.(shaped);
    const shown = {
      ...asObject(shaped),
      ...(note === undefined ? {} : { note }),
      ...(isRepeated ? { repeated: repeatedNote } : {}),
    };
    return resultOf(shown, readsStructured);
  };
}

const repeatedNote =
  'You made the same call before, so nothing new has happened. To do it again, send another idempotency_key.';

const structuredNote = 'The result is in structuredContent.';

/** The error of the endpoint would name its path parameter instead of the argument. */
function requirePathArguments(route: ToolRoute, given: Readonly<Record<string, unknown>>): void {
  for (const [argument, { part }] of Object.entries(argumentsOf(route).fields)) {
    if (part === 'path' && given[argument] === undefined)
      throw new DomainError('invalid_body', `The argument \`${argument}\` is missing.`);
  }
}

/** Ids of runs do not say which product they belong to. */
async function callWithElse(
  callEndpoint: CallEndpoint,
  carrier: Carrier,
  route: ToolRoute,
  given: Readonly<Record<string, unknown>>,
): Promise<Response> {
  const response = await callEndpoint(carrier, route, given);
  const { orElse, ...rest } = route;
  if (orElse === undefined || response.ok) return response;
  // Every error of the API has a code.
  const { error } = (await response.clone().json()) as { readonly error: string };
  if (error !== orElse.code) return response;
  const next = { ...rest, endpoint: orElse.endpoint };
  const other = await callWithElse(
    callEndpoint,
    carrier,
    orElse.orElse === undefined ? next : { ...next, orElse: orElse.orElse },
    given,
  );
  return other.status === response.status ? response : other;
}

/** An argument that the chosen endpoint does not take must not be dropped silently. */
function refuseUnused(tool: Tool, route: ToolRoute, given: Readonly<Record<string, unknown>>): void {
  if (tool.readOnly) return;
  const { fields } = argumentsOf(route);
  const isTaken = (name: string): boolean =>
    name in fields ||
    name in (tool.shaping ?? {}) ||
    route.chosenBy?.includes(name) === true ||
    name === 'idempotency_key';
  const unused = Object.keys(given).find((name) => given[name] !== undefined && !isTaken(name));
  if (unused === undefined) return;
  const others = Object.keys(given).filter((name) => name !== unused && name in fields);
  throw new DomainError(
    'invalid_body',
    others.length === 0
      ? `\`${unused}\` cannot be sent alone.`
      : `\`${unused}\` cannot be combined with ${others.map((name) => `\`${name}\``).join(', ')}.`,
    { hint: `Leave out \`${unused}\`. ${tool.description}` },
  );
}

/** @param readsStructured whether the text need not repeat the structured content */
export function resultOf(body: unknown, readsStructured: boolean): CallToolResult {
  const structuredContent = asObject(body);
  const text = readsStructured ? structuredNote : JSON.stringify(structuredContent);
  return { content: [{ type: 'text', text }], structuredContent };
}

/** @param body the error of an endpoint */
export function failedResult(body: unknown, retryAfter: string | null): CallToolResult {
  return failed(explain(body, retryAfter));
}

/** The result of a call that reached no endpoint. */
export function refusedResult(error: DomainError): CallToolResult {
  return failed(refusalOf(error));
}

interface Refusal {
  readonly error: string;
  readonly message: string;
  readonly hint: string;
  readonly retry_after_seconds?: number;
}

function refusalOf({ code, message, extras }: DomainError): Refusal {
  const { hint = errorTable[code].advice, retryAfterSeconds } = extras;
  const wait = retryAfterSeconds === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterSeconds) };
  return { error: publicCode(code), message, hint, ...wait };
}

/** Keeps what a model needs to know about an error. */
function explain(body: unknown, retryAfter: string | null): Refusal {
  // Every error of the API has these fields.
  const { error, message, hint } = body as Refusal;
  return {
    error,
    message,
    hint,
    ...(retryAfter === null ? {} : { retry_after_seconds: Number(retryAfter) }),
  };
}

/** A result, not a protocol error: hosts show its text to the model, which can then correct its call. */
function failed(refusal: Refusal): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(refusal) }],
    structuredContent: { ...refusal },
  };
}

/** Structured content is an object; the bodies of the API are too. */
function asObject(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : { value: body };
}
