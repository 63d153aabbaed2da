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
  readonly signal: AbortSignal;
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

/** @param agentCtx null unless the endpoint requires an agent */
export type RunHandler = (agentCtx: IdentifiedCtx | null, read: ReadCall) => Promise<Result> | Result;

export function createRunHandler(endpoint: Endpoint, stages: Stages): RunHandler {
  const mark = createDemoMarker(endpoint, stages.deps);
  const toResponse = (result: unknown): Result => {
    const response = responseOf(endpoint, result);
    return mark === null || response instanceof Response ? response : mark(response);
  };
  const { prepare, idempotent } = endpoint;
  const limiter = limiterOf(endpoint, stages.limiters);
  const callOf = (ctx: Ctx, read: ReadCall, balance: TokenBalance | null, prepared: unknown) =>
    new PreparedCall(stages, limiter, ctx, read, balance, prepared) as unknown as Call;
  const handle = (call: Call): Promise<Result> | Result => {
    const result = endpoint.handle(call);
    return result instanceof Promise ? result.then(toResponse) : toResponse(result);
  };
  const run = (ctx: Ctx, read: ReadCall, balance: TokenBalance | null): Promise<Result> | Result =>
    prepare === undefined
      ? handle(callOf(ctx, read, balance, null))
      : prepare(callOf(ctx, read, balance, null)).then((prepared) =>
          handle(callOf(ctx, read, balance, prepared)),
        );
  if (idempotent === undefined || idempotent === 'own')
    return (agentCtx, read) => run(agentCtx ?? visitorCtxOf(stages, read), read, agentCtx?.balance ?? null);
  return (agentCtx, read) => {
    invariant(agentCtx !== null, 'Idempotency keys belong to agents, so the endpoint requires one.');
    const { balance } = agentCtx;
    const key = read.door.keyOf();
    if (key === null) return run(agentCtx, read, balance);
    const content = { params: read.params, query: read.query, body: bodyToCompare(read) };
    const prepared = () => prepare?.(callOf(agentCtx, read, balance, null)) ?? null;
    return respondOnce(
      endpoint,
      agentCtx,
      stages.deps,
      { key: key ?? null, content },
      prepared,
      async (keyCtx, ready) => {
        const response = await handle(callOf(keyCtx, read, balance, ready));
        invariant(
          response instanceof JsonResponse,
          'A response stored under an idempotency key is JSON, not a stream.',
        );
        return response;
      },
    );
  };
}

/** The result of a handler as a response. A body without a status gets 200 if that is declared, otherwise 201. */
export function responseOf({ responses }: Endpoint, result: unknown): Result {
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
      return networkOf({ ctx, deps: stages.deps, clientAddress: stages.clientAddressOf(request) }).network;
    },
  };
}

/** Documents are not parsed before their verb reads them. */
function bodyToCompare({ body, rawBody, door: { request } }: ReadCall): unknown {
  if (body !== null || rawBody.byteLength === 0) return body;
  const type = request.headers.get('content-type');
  return { type, sha256: createHash('sha256').update(rawBody).digest('hex') };
}

/**
 * The argument of a handler. A class, so that the client address is resolved only if the handler reads it.
 */
class PreparedCall {
  readonly deps: Stages['deps'];
  readonly ctx: Ctx;
  readonly agent: IdentifiedCtx['agent'] | null;
  readonly balance: TokenBalance | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly rawBody: Uint8Array;
  readonly prepared: unknown;
  readonly request: Request;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly nameOf: NameOperation;
  readonly #stages: Stages;
  readonly #limiter: RateLimiter | null;
  readonly #read: ReadCall;

  constructor(
    stages: Stages,
    limiter: RateLimiter | null,
    ctx: Ctx,
    read: ReadCall,
    balance: TokenBalance | null,
    prepared: unknown,
  ) {
    const { door } = read;
    this.prepared = prepared;
    this.#stages = stages;
    this.#limiter = limiter;
    this.#read = read;
    this.balance = balance;
    this.deps = stages.deps;
    this.nameOf = door.nameOf;
    this.ctx = ctx;
    this.agent = 'agent' in ctx ? (ctx as IdentifiedCtx).agent : null;
    this.params = read.params;
    this.query = read.query;
    this.body = read.body;
    this.rawBody = read.rawBody;
    this.request = door.request;
    this.requestId = door.requestId;
    this.signal = door.signal;
  }

  get clientAddress(): string {
    return this.#stages.clientAddressOf(this.request);
  }

  get idempotencyKey(): string | null {
    return this.#read.door.keyOf() ?? null;
  }

  async countFor(agentId: string): Promise<void> {
    await this.#limiter?.countAgent(agentId);
  }

  async countAt(endpoint: Endpoint, agentId: string | null): Promise<void> {
    const limiter = limiterOf(endpoint, this.#stages.limiters);
    if (agentId !== null) await limiter?.countAgent(agentId);
    else await limiter?.countNetwork(this.clientAddress);
  }

  async run(endpoint: Endpoint, ctx: Ctx, given: Given): Promise<Result> {
    const read = { ...this.#read, ...given };
    const call = (prepared: unknown) =>
      new PreparedCall(this.#stages, this.#limiter, ctx, read, null, prepared) as unknown as Call;
    const prepared = (await endpoint.prepare?.(call(null))) ?? null;
    return responseOf(endpoint, await endpoint.handle(call(prepared)));
  }
}
