/** Calls an endpoint's handler, and once only for each idempotency key where the endpoint honours them. */
import type { BearerCtx, Ctx } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import { Answer, type Call, type Endpoint } from '../endpoint.ts';
import type { Stages } from '../stages.ts';
import { createDemoMark } from '../response/demo.ts';
import { answerOnce, idempotencyKeyOf } from './idempotency.ts';

/** What the stages before the handler found out about a request. */
export interface ReadRequest {
  readonly request: Request;
  readonly requestId: string;
  /** Of the jobs that the request promises; nothing for a read. */
  readonly cause: Cause | undefined;
  /** Null unless the endpoint asks for an agent. */
  readonly agentCtx: BearerCtx | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly rawBody: Uint8Array;
}

type Answered = Answer | Response;

export type RunHandler = (read: ReadRequest) => Promise<Answered> | Answered;

export function createRunHandler(endpoint: Endpoint, stages: Stages): RunHandler {
  const plainStatus = plainStatusOf(endpoint);
  const mark = createDemoMark(endpoint, stages.deps);
  const asAnswer = (result: unknown): Answered => {
    if (result instanceof Response) return result;
    const answer = result instanceof Answer ? result : new Answer(plainStatus, result, {});
    return mark === null ? answer : mark(answer);
  };
  const run = (ctx: Ctx, read: ReadRequest): Promise<Answered> | Answered => {
    // It has the fields of every endpoint's call, with what this endpoint's schemas and access make of them.
    const result = endpoint.handle(new PreparedCall(stages, ctx, read) as unknown as Call);
    return result instanceof Promise ? result.then(asAnswer) : asAnswer(result);
  };
  if (endpoint.idempotent === undefined) {
    return (read) =>
      run(read.agentCtx ?? (read.cause ? { ...stages.ctx, cause: read.cause } : stages.ctx), read);
  }
  return (read) => {
    const ctx = read.agentCtx;
    invariant(ctx !== null, 'Idempotency keys belong to agents, so the endpoint asks for one.');
    const key = idempotencyKeyOf(read.request);
    if (key === null) return run(ctx, read);
    const content = { params: read.params, query: read.query, body: read.body };
    return answerOnce(endpoint, ctx, stages.deps.logger, { key, content }, async (keyCtx) => {
      const answer = await run(keyCtx, read);
      invariant(answer instanceof Answer, 'An answer that is kept under a key is JSON, not a stream.');
      return answer;
    });
  };
}

/** The status of a body that comes without one. */
function plainStatusOf({ answers }: Endpoint): number {
  return 200 in answers ? 200 : 201;
}

/** The handler's argument. A class, so that the client's address is looked up only by those who read it. */
class PreparedCall {
  readonly deps: Stages['deps'];
  readonly ctx: Ctx;
  readonly agent: BearerCtx['agent'] | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly rawBody: Uint8Array;
  readonly request: Request;
  readonly requestId: string;
  readonly #stages: Stages;

  constructor(stages: Stages, ctx: Ctx, read: ReadRequest) {
    this.#stages = stages;
    this.deps = stages.deps;
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
}
