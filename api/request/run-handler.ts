/** Calls the handler of an endpoint, once per idempotency key where the endpoint honours keys. */
import { createHash } from 'node:crypto';
import type { Ctx } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import type { NameOperation } from '#domain/operation.ts';
import type { TokenBalance } from '#domain/tokens/read-balances.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import { JsonResponse, type Call, type Endpoint } from '../endpoint.ts';
import type { Stages } from '../stages.ts';
import type { IdentifiedCtx } from '../access/identify.ts';
import { networkOf } from '../access/sign-up-network.ts';
import { limiterOf, type RateLimiter } from '../access/rate-limits.ts';
import { createDemoMarker } from '../demo-mode.ts';
import { idempotencyKeyOf, respondOnce } from './idempotency.ts';

/** The results of the stages before the handler. */
export interface ReadRequest {
  readonly request: Request;
  readonly requestId: string;
  /** The origin of the jobs that the request enqueues; undefined for reads. */
  readonly cause: Cause | undefined;
  /** Null unless the endpoint requires an agent. */
  readonly agentCtx: IdentifiedCtx | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly rawBody: Uint8Array;
}

type Result = JsonResponse | Response;

export type RunHandler = (read: ReadRequest) => Promise<Result> | Result;

export function createRunHandler(endpoint: Endpoint, stages: Stages): RunHandler {
  const plainStatus = plainStatusOf(endpoint);
  const mark = createDemoMarker(endpoint, stages.deps);
  const toResponse = (result: unknown): Result => {
    if (result instanceof Response) return result;
    const response = result instanceof JsonResponse ? result : new JsonResponse(plainStatus, result, {});
    return mark === null ? response : mark(response);
  };
  const { prepare } = endpoint;
  // The cast is safe: the earlier stages have produced what the endpoint's schemas and `auth` declare.
  const callOf = (ctx: Ctx, read: ReadRequest, prepared: unknown) =>
    new PreparedCall(stages, limiterOf(endpoint, stages.limiters), ctx, read, prepared) as unknown as Call;
  const handle = (ctx: Ctx, read: ReadRequest, prepared: unknown): Promise<Result> | Result => {
    const result = endpoint.handle(callOf(ctx, read, prepared));
    return result instanceof Promise ? result.then(toResponse) : toResponse(result);
  };
  const run = (ctx: Ctx, read: ReadRequest): Promise<Result> | Result =>
    prepare === undefined
      ? handle(ctx, read, null)
      : prepare(callOf(ctx, read, null)).then((prepared) => handle(ctx, read, prepared));
  if (endpoint.idempotent === undefined || endpoint.idempotent === 'own') {
    return (read) => run(read.agentCtx ?? visitorCtxOf(stages, read), read);
  }
  return (read) => {
    const ctx = read.agentCtx;
    invariant(ctx !== null, 'Idempotency keys belong to agents, so the endpoint requires one.');
    const key = idempotencyKeyOf(read.request);
    if (key === null && !stages.makesKey(read.request)) return run(ctx, read);
    const content = { params: read.params, query: read.query, body: bodyToCompare(read) };
    const prepared = () => prepare?.(callOf(ctx, read, null)) ?? null;
    return respondOnce(endpoint, ctx, stages.deps, { key, content }, prepared, async (keyCtx, ready) => {
      const response = await handle(keyCtx, read, ready);
      invariant(
        response instanceof JsonResponse,
        'A response stored under an idempotency key is JSON, not a stream.',
      );
      return response;
    });
  };
}

/** What a visitor without an account stores is counted for its network. Reads enqueue no jobs and store nothing. */
function visitorCtxOf(stages: Stages, { cause, request }: ReadRequest): Ctx {
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
function bodyToCompare({ body, rawBody, request }: ReadRequest): unknown {
  if (body !== null || rawBody.byteLength === 0) return body;
  const type = request.headers.get('content-type');
  return { type, sha256: createHash('sha256').update(rawBody).digest('hex') };
}

/** The status of a body that the handler returns without one. */
function plainStatusOf({ responses }: Endpoint): number {
  return 200 in responses ? 200 : 201;
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
  readonly nameOf: NameOperation;
  readonly #stages: Stages;
  readonly #limiter: RateLimiter | null;

  constructor(stages: Stages, limiter: RateLimiter | null, ctx: Ctx, read: ReadRequest, prepared: unknown) {
    this.prepared = prepared;
    this.#stages = stages;
    this.#limiter = limiter;
    this.balance = read.agentCtx?.balance ?? null;
    this.deps = stages.deps;
    this.nameOf = stages.nameOf;
    this.ctx = ctx;
    this.agent = read.agentCtx?.agent ?? null;
    this.params = read.params;
    this.query = read.query;
    this.body = read.body;
    this.rawBody = read.rawBody;
    this.request = read.request;
    this.requestId = read.requestId;
  }

  get clientAddress(): string {
    return this.#stages.clientAddressOf(this.request);
  }

  async countFor(agentId: string): Promise<void> {
    await this.#limiter?.countAgent(agentId);
  }

  async countAt(endpoint: Endpoint, agentId: string | null): Promise<void> {
    const limiter = limiterOf(endpoint, this.#stages.limiters);
    if (agentId !== null) await limiter?.countAgent(agentId);
    else await limiter?.countNetwork(this.clientAddress);
  }
}
