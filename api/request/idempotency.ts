/**
 * Honours `Idempotency-Key` on authenticated POSTs: however often a request is retried, it has one effect and
 * one response.
 */
import { setTimeout as pause } from 'node:timers/promises';
import canonicalize from 'canonicalize';
import { isDatabaseUnavailable, isOutcomeUnknown } from '#db/errors.ts';
import { type BearerCtx, isAccountOpen, withoutAgent, withTransaction } from '#domain/context.ts';
import { DomainError, invariant } from '#domain/errors.ts';
import {
  type Claim,
  claimKey,
  claimMs,
  extendClaim,
  madeKeyKeptMs,
  releaseKey,
  type StoredResponse,
  storeResponse,
} from '#domain/idempotency/claim-key.ts';
import { createId } from '#runtime/create-id.ts';
import { causeFields, type Logger } from '#runtime/tracing/log.ts';
import type { ApiDeps } from '../deps.ts';
import { type Endpoint, JsonResponse } from '../endpoint.ts';

/** Requests are the same if agent, route, key and content are equal. */
interface KeyedCall {
  /** Null if the key is made from the content. */
  readonly key: string | null;
  readonly content: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
  /** Does the work before the transaction of the handler. Called once. */
  readonly prepare: () => unknown;
  /** Runs the handler with the given `ctx` and the result of `prepare`. */
  readonly handle: (ctx: BearerCtx, prepared: unknown) => Promise<JsonResponse | Response>;
}

/** Claims the key, runs the handler and stores its response, or replays the stored response. */
export async function once(
  endpoint: Endpoint,
  ctx: BearerCtx,
  { logger, secretKey }: Pick<ApiDeps, 'logger' | 'secretKey'>,
  { key, content, prepare, handle }: KeyedCall,
): Promise<JsonResponse> {
  const route = `${endpoint.method} ${endpoint.path}`;
  // Whatever the order of its fields. A number such as 1e999 has no canonical form; as JSON it is null.
  const requestHash = Bun.SHA256.hash(canonicalize(JSON.parse(JSON.stringify(content))) ?? '', 'hex');
  const claim: Claim = {
    agentId: ctx.agent.id,
    // No key that is sent equals one that is made.
    route: key === null ? `${route} repeated` : route,
    key: key ?? requestHash,
    claimId: createId(ctx.clock.now()),
  };
  const kept = key === null ? { keptMs: madeKeyKeptMs } : {};
  const result = await claimKey(ctx, { ...claim, requestHash, ...kept }).catch(async (error: unknown) => {
    if (isOutcomeUnknown(error)) await releaseClaim(ctx, claim, logger, error);
    throw error;
  });
  if ('stored' in result) return replay(endpoint, result.stored, secretKey);
  try {
    const response = await whileKeepingClaim(ctx, claim, logger, async () => {
      const prepared = await prepare();
      return runAndStore(endpoint, ctx, claim, (inner) => handle(inner, prepared));
    });
    if (!isKept(response)) await releaseClaim(ctx, claim, logger, null);
    return response;
  } catch (error) {
    await releaseClaim(ctx, claim, logger, error);
    throw error;
  }
}

async function runAndStore(
  endpoint: Endpoint,
  ctx: BearerCtx,
  claim: Claim,
  handle: (ctx: BearerCtx) => Promise<JsonResponse | Response>,
): Promise<JsonResponse> {
  const respond = async (inner: BearerCtx): Promise<JsonResponse> => {
    const response = await handle(inner);
    invariant(
      response instanceof JsonResponse,
      'A response stored under an idempotency key is JSON, not a stream.',
    );
    return response;
  };
  if (endpoint.idempotent === 'transaction') {
    return withTransaction(ctx, async (tx) => {
      const response = await respond(tx);
      if (isKept(response)) await storeResponse(tx, claim, storedForm(endpoint, response));
      return response;
    });
  }
  const response = await respond(ctx);
  if (isKept(response)) {
    await withTransaction(withoutAgent(ctx), async (tx) => {
      // Nobody can repeat the request that closed the account.
      if (!(await isAccountOpen(tx.db, ctx.agent.id))) return;
      await storeResponse(tx, claim, storedForm(endpoint, response));
    });
  }
  return response;
}

/** Only successful responses are stored. After an error, a retry with the same key runs again. */
function isKept({ status }: JsonResponse): boolean {
  return status >= 200 && status < 300;
}

/** Secrets must not be stored in plain text. */
function storedForm(endpoint: Endpoint, { status, body }: JsonResponse): StoredResponse {
  return {
    status,
    body: endpoint.responseIsSecret === true ? null : (endpoint.responseSecret?.leaveOut(body) ?? body),
  };
}

function replay(endpoint: Endpoint, { status, body }: StoredResponse, secretKey: string): JsonResponse {
  if (endpoint.responseIsSecret === true) {
    throw new DomainError(
      'idempotency_key_reused',
      'This request has already succeeded. Its response contained a secret and was not stored.',
      { hint: 'Check what the request created. If you lost the secret, create another one with a new key.' },
    );
  }
  const complete = endpoint.responseSecret?.putBack(body, secretKey) ?? body;
  return new JsonResponse(status, complete, { 'idempotent-replayed': 'true' });
}

const extendEveryMs = 1_500;
/** Longer than any request runs. A claim of one that hangs lapses. */
const keptForMs = 120_000;

/**
 * Extends the claim while the work runs. A claim that cannot be extended lapses, and storing the response fails if
 * another request has taken it over.
 */
async function whileKeepingClaim<T>(
  ctx: BearerCtx,
  claim: Claim,
  logger: Logger,
  work: () => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + keptForMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;
  const extend = async (): Promise<void> => {
    try {
      if (!(await extendClaim(withoutAgent(ctx), claim))) return;
    } catch (err) {
      logger.debug({ err }, 'could not extend an idempotency claim');
    }
    schedule();
  };
  const schedule = (): void => {
    if (isDone || performance.now() > endsAt) return;
    timer = setTimeout(() => void extend(), extendEveryMs);
    timer.unref();
  };
  schedule();
  try {
    return await work();
  } finally {
    isDone = true;
    clearTimeout(timer);
  }
}

/** Retries are few: only requests in flight when the database failed hold a claim. */
const retryEveryMs = 500;

/**
 * Releases the idempotency key of a failed request. While the database is unavailable it retries in the
 * background, so that the client can retry as soon as the database is back, and no response is delayed.
 * Releases the claim before it resolves, unless the database is unavailable. Never rejects: a claim that
 * cannot be released expires, which also bounds the retries.
 */
async function releaseClaim(ctx: BearerCtx, claim: Claim, logger: Logger, failure: unknown): Promise<void> {
  if (isDatabaseUnavailable(failure)) void releaseClaimLater(ctx, claim, logger);
  else if (await isReleasePending(ctx, claim, logger)) void releaseClaimLater(ctx, claim, logger);
}

async function releaseClaimLater(ctx: BearerCtx, claim: Claim, logger: Logger): Promise<void> {
  const giveUpAt = performance.now() + claimMs;
  while ((await isReleasePending(ctx, claim, logger)) && performance.now() < giveUpAt) {
    // Must not keep the process from exiting.
    await pause(retryEveryMs, undefined, { ref: false });
  }
}

/** @returns true if the database is unavailable; other errors are permanent and are logged */
async function isReleasePending(ctx: BearerCtx, claim: Claim, logger: Logger): Promise<boolean> {
  try {
    await releaseKey(withoutAgent(ctx), claim);
    return false;
  } catch (err) {
    if (isDatabaseUnavailable(err)) return true;
    logger.warn(
      { err, ...causeFields(ctx.cause ?? {}) },
      'could not release an idempotency claim; it will expire',
    );
    return false;
  }
}
