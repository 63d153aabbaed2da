/** Runs a tool and turns the response of its endpoint into a result that models can act on. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { DomainError } from '#domain/errors.ts';
import type { NameOperation } from '#domain/operation.ts';
import { publicCode } from '../errors/error-table.ts';
import { nameRoute } from '../openapi/operation-ids.ts';
import { createValidator, type Validator } from '../request/validator.ts';
import { hintOf, retryAfterOf } from '../response/responses.ts';
import type { CallEndpoint, Carrier, CountUnserved } from './call-endpoint.ts';
import { argumentsFor, argumentsOf, routeFor, type Tool, type ToolRoute } from './tool.ts';

export interface ToolCall {
  readonly carrier: Carrier;
  readonly given: Readonly<Record<string, unknown>>;
  /** Whether the client shows models the structured content, so that the text need not repeat it. */
  readonly readsStructured: boolean;
}

export type RunTool = (call: ToolCall) => Promise<CallToolResult>;

export function createRunTool(tool: Tool, callEndpoint: CallEndpoint, countUnserved: CountUnserved): RunTool {
  const validators = new Map<ToolRoute, Validator>(
    tool.routes.map((route) => [
      route,
      createValidator(argumentsFor(tool, route), 'invalid_body', 'The arguments object'),
    ]),
  );
  return async ({ carrier, given, readsStructured }) => {
    const route = routeFor(tool, given);
    try {
      validators.get(route)?.check(given);
      refuseUnused(tool, route, given);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return refusedResult((await countUnserved(carrier)) ?? error, nameRoute);
    }
    const outcome = await callEndpoint(carrier, route, given);
    if ('error' in outcome) return refusedResult(outcome.error, outcome.nameOf);
    const { body, isRepeated } = outcome;
    let shaped: unknown;
    try {
      shaped = tool.shape === undefined ? body : tool.shape(body, given);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return refusedResult(error, nameRoute);
    }
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
