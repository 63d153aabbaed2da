/**
 * The stages of a call, whatever door it comes through: rate limit and authentication, host, what was sent, idempotency
 * and handler, log. Each pipeline is assembled once at start-up and leaves out the stages that its endpoint does not need.
 */
import type { DomainError } from '#domain/errors.ts';
import { hubFrozen } from '#domain/freeze/freeze-hub.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import type { Span } from '#runtime/tracing/tracing.ts';
import { isStoreFrozen } from '#db/errors.ts';
import { freezeOf } from '#db/freeze-guard.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Endpoint, type Given, isRefusedWhileFrozen, type JsonResponse } from './endpoint.ts';
import { createResponseChecks } from './response/check-response.ts';
import { databasePending } from './demo-mode.ts';
import { toDomainError } from './errors/to-domain-error.ts';
import { createIdentify, type IdentifiedCtx } from './access/identify.ts';
import { claimantOfCaller } from './access/read-turns.ts';
import { requireHost } from './request/request-head.ts';
import { logRequest } from './request/request-log.ts';
import { createRequestTrace, endRequestSpan } from './request/request-trace.ts';
import { type CallDoor, createRunner, type ReadCall, type Runner } from './request/run-handler.ts';
import type { Stages } from './stages.ts';

/** How a call comes in. */
export interface Door extends CallDoor {
  readonly method: string;
  readonly isSearch: boolean;
  /** Called once the caller is known, because a stranger's body is not read. Checks what it reads. */
  readonly read: (agentCtx: IdentifiedCtx | null) => Promise<Given> | Given;
}

/** A call from its arrival to its response. */
export interface CallInProgress {
  readonly door: Door;
  readonly startedAt: number;
  readonly span: Span | null;
  /** The origin of the jobs that the call enqueues; undefined for reads, which enqueue none. */
  readonly cause: Cause | undefined;
  endTurn: (() => void) | null;
  hasEnded: boolean;
}

/** Who calls, and what they sent. */
export interface OpenedCall {
  readonly agentCtx: IdentifiedCtx | null;
  readonly read: ReadCall;
}

/** The steps of a call, in their order; after an error, `fail` and `end`. */
export interface Pipeline extends Runner {
  readonly endpoint: Endpoint;
  readonly begin: (door: Door) => CallInProgress;
  /** @throws DomainError of the caller or of what it sent */
  readonly open: (call: CallInProgress) => Promise<OpenedCall>;
  /** For tests: whether the result is one that the endpoint declares. */
  readonly check: (result: JsonResponse | Response) => void;
  readonly failureOf: (error: unknown) => DomainError;
  /** Whether a read failed because it would store something while the hub is frozen. */
  readonly isKeptFromStoring: (error: unknown) => boolean;
  readonly end: (call: CallInProgress, status: number, failure: DomainError | null) => void;
}

export function createPipeline(endpoint: Endpoint, stages: Stages): Pipeline {
  const { logger, demo, settings, db, secretKey } = stages.deps;
  const identify = createIdentify(endpoint, stages);
  const checks = stages.checkResponses ? createResponseChecks(endpoint) : null;
  const startSpan = createRequestTrace(endpoint, stages.deps.tracing);
  const isRead = endpoint.method === 'GET';
  const isClosed = demo && !isRead;
  const isRefused = isRefusedWhileFrozen(endpoint);
  const isUnlimited = isClosed || endpoint.rateLimit === 'none';
  return {
    ...createRunner(endpoint, stages),
    endpoint,
    begin: (door) => {
      const { request, requestId, method } = door;
      const span = startSpan === null ? null : startSpan(request, method, requestId);
      const cause = isRead ? undefined : causeOf(requestId, span);
      return { door, startedAt: performance.now(), span, cause, endTurn: null, hasEnded: false };
    },
    open: async (call) => {
      const { door, cause } = call;
      const { request } = door;
      if (isClosed) throw databasePending();
      endpoint.requires?.(settings);
      // Awaiting only real promises saves a turn of the microtask queue for each synchronous stage.
      const identified = identify(request, cause, door.isSearch);
      const agentCtx = identified instanceof Promise ? await identified : identified;
      crashPoint('request.identified');
      requireHost(request);
      if (isRefused && (await freezeOf(db)) !== null) throw hubFrozen();
      const reading = door.read(agentCtx);
      const given = reading instanceof Promise ? await reading : reading;
      if (door.isSearch)
        call.endTurn = await stages.takeSearchTurn(
          claimantOfCaller(secretKey, stages.clientAddressOf(request), agentCtx?.agent ?? null),
        );
      return { agentCtx, read: { door, cause, ...given } };
    },
    check: (result) => checks?.checkResponse(result),
    failureOf: (error) => {
      const failure = toDomainError(error);
      return checks === null ? failure : checks.checkError(failure);
    },
    isKeptFromStoring: (error) => isRead && !isRefused && isStoreFrozen(error),
    end: (call, status, failure) => {
      const { door, startedAt, span, cause } = call;
      const { method, requestId } = door;
      call.endTurn?.();
      call.hasEnded = true;
      crashPoint('request.answering');
      if (span !== null) endRequestSpan(span, status, failure);
      logRequest(logger, {
        cause: cause ?? causeOf(requestId, span),
        method,
        route: endpoint.path,
        status,
        startedAt,
        error: failure,
        // Wrong keys have a rate limit of their own.
        unlimited: isUnlimited && failure?.code !== 'invalid_token',
      });
    },
  };
}

function causeOf(requestId: string, span: Span | null): Cause {
  return span === null ? { requestId } : { requestId, traceparent: span.traceparent };
}
