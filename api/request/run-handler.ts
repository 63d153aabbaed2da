/** Calls the handler of an endpoint, once per idempotency key where the endpoint honours keys. */
import { createHash } from 'node:crypto';
import type { Ctx } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import type { NameOperation } from '#domain/operation.ts';
import type { TokenBalance } from '#domain/tokens/read-balances.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import { JsonResponse, type Call, type Endpoint, type Given } from '../endpoint.ts';
import type { Stages } from '../stages.ts';
import type { IdentifiedCtx } from '../access/identify.ts';
import { networkOf } from '../access/sign-up-network.ts';
import { limiterOf, type RateLimiter } from '../access/rate-limits.ts';
import { createDemoMarker } from '../demo-mode.ts';
import { respondOnce } from './idempotency.ts';

/** How a call came in. */
export interface CallDoor {
  /** What carries the call: its headers and its connection identify the caller. */
  readonly request: Request;
  readonly requestId: string;
  /** Aborts when the caller no longer waits. */
  readonly signal: () => AbortSignal;
  /** The idempotency key; undefined makes one from what was given. */
  readonly keyOf: () => string | null | undefined;
  /** How hints name operations to the caller. */
  readonly nameOf: NameOperation;
}

export interface ReadCall extends Given {
  readonly door: CallDoor;
  /** The origin of the jobs that the call enqueues; undefined for reads. */
  readonly cause: Cause | undefined;
}

type Result = JsonResponse | Response;

export interface Runner {
  /** Calls the handler. @param agentCtx null unless the endpoint requires an agent */
  readonly run: (agentCtx: IdentifiedCtx | null, read: ReadCall) => Promise<Result> | Result;
  /** Whether the call needs more than its handler: a transaction for its key, or work before. */
  readonly isWrapped: (read: ReadCall) => boolean;
  /** The argument of a handler that needs no more. */
  readonly callOf: (agentCtx: IdentifiedCtx | null, read: ReadCall) => Call;
  readonly responseOf: (result: unknown) => Result;
}

export function createRunner(endpoint: Endpoint, stages: Stages): Runner {
  const mark = createDemoMarker(endpoint, stages.deps);
  const toResponse = (result: unknown): Result => {
    const response = responseOf(endpoint, result);
    return mark === null || response instanceof Response ? response : mark(response);
  };
  const { prepare, idempotent } = endpoint;
  const limiter = limiterOf(endpoint, stages.limiters);
  const takesKey = idempotent === 'transaction' || idempotent === 'after';
  const makeCall = (ctx: Ctx, read: ReadCall, balance: TokenBalance | null, prepared: unknown): Call =>
    createCall(stages, limiter, { ctx, read, balance, prepared });
  const handle = async (call: Call): Promise<Result> => toResponse(await endpoint.handle(call));
  const run = async (ctx: Ctx, read: ReadCall, balance: TokenBalance | null): Promise<Result> => {
    const prepared = prepare === undefined ? null : await prepare(makeCall(ctx, read, balance, null));
    return handle(makeCall(ctx, read, balance, prepared));
  };
  const runOnce = (agentCtx: IdentifiedCtx | null, read: ReadCall): Promise<Result> => {
    invariant(agentCtx !== null, 'Idempotency keys belong to agents, so the endpoint requires one.');
    const { balance } = agentCtx;
    const key = read.door.keyOf();
    if (key === null) return run(agentCtx, read, balance);
    const content = { params: read.params, query: read.query, body: bodyToCompare(read) };
    const asked = { key: key ?? null, content };
    const prepared = () => prepare?.(makeCall(agentCtx, read, balance, null)) ?? null;
    return respondOnce(endpoint, agentCtx, stages.deps, asked, prepared, async (keyCtx, ready) => {
      const response = await handle(makeCall(keyCtx, read, balance, ready));
      invariant(
        response instanceof JsonResponse,
        'A response stored under an idempotency key is JSON, not a stream.',
      );
      return response;
    });
  };
  const ctxOf = (agentCtx: IdentifiedCtx | null, read: ReadCall): Ctx =>
    agentCtx ?? visitorCtxOf(stages, read);
  return {
    run: takesKey ? runOnce : (agentCtx, read) => run(ctxOf(agentCtx, read), read, agentCtx?.balance ?? null),
    isWrapped: (read) => prepare !== undefined || (takesKey && read.door.keyOf() !== null),
    callOf: (agentCtx, read) => makeCall(ctxOf(agentCtx, read), read, agentCtx?.balance ?? null, null),
    responseOf: toResponse,
  };
}

/** The result of a handler as a response. A body without a status gets 200 if that is declared, otherwise 201. */
function responseOf({ responses }: Endpoint, result: unknown): Result {
  if (result instanceof Response || result instanceof JsonResponse) return result;
  return new JsonResponse(200 in responses ? 200 : 201, result, {});
}

/** What a visitor without an account stores is counted for its network. Reads enqueue no jobs and store nothing. */
function visitorCtxOf(stages: Stages, { cause, door: { request } }: ReadCall): Ctx {
  const ctx = stages.ctxOf(request);
  if (cause === undefined) return ctx;
  return {
    ...ctx,
    cause,
    get network() {
      const clientAddress = () => stages.clientAddressOf(request);
      return networkOf({ ctx, deps: stages.deps, clientAddress }).network;
    },
  };
}

/** Documents are not parsed before their verb reads them. */
function bodyToCompare({ body, rawBody, door: { request } }: ReadCall): unknown {
  if (body !== null || rawBody.byteLength === 0) return body;
  const type = request.headers.get('content-type');
  return { type, sha256: createHash('sha256').update(rawBody).digest('hex') };
}

interface Prepared {
  readonly ctx: Ctx;
  readonly read: ReadCall;
  readonly balance: TokenBalance | null;
  readonly prepared: unknown;
}

/** The argument of a handler. What few handlers need is a function, because it costs more than most requests. */
function createCall(
  stages: Stages,
  limiter: RateLimiter | null,
  { ctx, read, balance, prepared }: Prepared,
): Call {
  const { door, params, query, body, rawBody } = read;
  const { request, requestId, nameOf, signal } = door;
  const clientAddress = () => stages.clientAddressOf(request);
  const call = {
    deps: stages.deps,
    ctx,
    agent: 'agent' in ctx ? ctx.agent : null,
    balance,
    params,
    query,
    body,
    rawBody,
    prepared,
    request,
    requestId,
    nameOf,
    signal,
    clientAddress,
    idempotencyKey: () => door.keyOf() ?? null,
    countFor: async (agentId: string) => limiter?.countAgent(agentId),
    countAt: async (endpoint: Endpoint, agentId: string | null) => {
      const other = limiterOf(endpoint, stages.limiters);
      if (agentId !== null) await other?.countAgent(agentId);
      else await other?.countNetwork(clientAddress());
    },
    run: async (endpoint: Endpoint, as: Ctx, given: Given) => {
      const inner = (ready: unknown) =>
        createCall(stages, limiter, { ctx: as, read: { ...read, ...given }, balance: null, prepared: ready });
      const ready = (await endpoint.prepare?.(inner(null))) ?? null;
      return responseOf(endpoint, await endpoint.handle(inner(ready)));
    },
  };
  // The cast is safe: the stages before have produced what the schemas and the access of the endpoint declare.
  return Object.assign(call, { call }) as unknown as Call;
}
