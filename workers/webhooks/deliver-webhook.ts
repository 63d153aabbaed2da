/**
 * One delivery attempt, signed by the Standard Webhooks scheme. The delivery id is the same on every attempt,
 * so that a receiver can recognise a duplicate.
 */
import { type Ctx, withTransaction } from '#domain/context.ts';
import { closeJobs } from '#domain/jobs/enqueue.ts';
import { findDelivery, type FoundDelivery, isPaused } from '#domain/webhooks/enqueue-deliveries.ts';
import { type AttemptOutcome, recordAttempt } from '#domain/webhooks/record-attempt.ts';
import { challengeKind, echoes } from '#domain/webhooks/challenge.ts';
import type { DeliveryRow } from '#domain/webhooks/show-webhook.ts';
import { signCall } from '#domain/webhooks/sign-call.ts';
import type { GuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedHttpLimits } from '#runtime/guarded-http/limits.ts';
import type { GuardedOutcome } from '#runtime/guarded-http/outcome.ts';
import { Snooze } from '#runtime/jobs/job-worker.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { TargetSlots } from '#runtime/turns/target-slots.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import type { Turns } from './turns.ts';

export interface WebhookSenderDeps {
  readonly ctx: Ctx;
  readonly logger: Logger;
  readonly http: GuardedHttp;
  readonly slots: Pick<TargetSlots, 'takeLimitedFor'>;
  readonly turns: Turns;
  readonly secretKey: string;
  /** Fires when the process is about to stop: attempts in progress are aborted and made again later. */
  readonly ending: AbortSignal;
}

export interface DeliveryJob {
  readonly deliveryId: string;
  /** The row in `jobs` that this attempt settles. */
  readonly jobId: string;
}

/** A receiver only has to acknowledge, so its response may be short. */
export const webhookHttpLimits = {
  answerTimeoutMs: 10_000,
  maxBodyBytes: 16 * 1024,
} as const satisfies Partial<GuardedHttpLimits>;
/** Per process. `target-slots.ts` limits the calls to one address across all processes. */
const attemptsPerAgentMax = 8;
const attemptsPerHostMax = 4;
/** Covers the whole attempt with all its waiting; each part of the call has its own limit. */
const attemptTimeoutMs = 40_000;
const abortedPauseMs = 1_000;

/** @throws Snooze when the delivery needs another attempt, or cannot be attempted now */
export async function deliverWebhook(deps: WebhookSenderDeps, job: DeliveryJob): Promise<void> {
  const { ctx, turns } = deps;
  const found = await findDelivery(ctx.db, job.deliveryId);
  if (found === null || found.delivery.status !== 'pending') {
    await withTransaction(ctx, (inner) => closeJobs(inner, [job.jobId]));
    return;
  }
  const { delivery, webhook, suspension } = found;
  if (!isDue(found) || isPaused(suspension, delivery.kind, ctx.clock.now())) {
    await recordAttempt(ctx, { found, outcome: { kind: 'dropped' }, jobId: job.jobId });
    return;
  }
  // Redis may have lost the delay. The first attempt is due immediately, even if the clock of the process that
  // enqueued it was ahead.
  const earlyMs = (delivery.nextAttemptAt?.getTime() ?? 0) - ctx.clock.now().getTime();
  if (earlyMs > 0 && delivery.attempts > 0) throw new Snooze(earlyMs, { idle: true });
  const turn = turns.enter(claimantOf(found), [
    { name: `agent ${webhook.agentId}`, max: attemptsPerAgentMax },
    { name: `host ${new URL(webhook.url).hostname}`, max: attemptsPerHostMax },
  ]);
  if (!turn.admitted) throw new Snooze(turn.retryAfterMs, { idle: true });
  try {
    await attempt(deps, found, job);
  } finally {
    turn.leave();
  }
}

/** A webhook that is not active receives nothing but the challenge. */
function isDue({ delivery, webhook }: FoundDelivery): boolean {
  if (webhook.disabledAt !== null || webhook.deletedAt !== null) return false;
  return webhook.state === (delivery.kind === challengeKind ? 'pending' : 'active');
}

function claimantOf({ network, webhook }: FoundDelivery): Claimant {
  return { network, agentId: webhook.agentId };
}

async function attempt(deps: WebhookSenderDeps, found: FoundDelivery, { jobId }: DeliveryJob): Promise<void> {
  const { ctx, logger } = deps;
  const { delivery, webhook } = found;
  crashPoint('webhook.calling');
  const sent = await send(deps, found);
  const outcome = sent === null ? notSigned : outcomeOf(sent, delivery);
  crashPoint('webhook.answered');
  const again = await recordAttempt(ctx, { found, outcome, jobId });
  crashPoint('webhook.recorded');
  logger.info(
    { webhook: webhook.id, delivery: delivery.id, attempt: delivery.attempts + 1, outcome, again },
    'attempted a webhook delivery',
  );
  if (again !== null) throw new Snooze(Math.max(0, again.getTime() - ctx.clock.now().getTime()));
}

const notSigned: AttemptOutcome = { kind: 'failed', error: 'not_signed', responseStatus: null };

/**
 * @returns null if the call cannot be signed
 * @throws Snooze when the result is unknown
 */
async function send(deps: WebhookSenderDeps, found: FoundDelivery): Promise<GuardedOutcome | null> {
  const { delivery, webhook } = found;
  const { id, kind: type, createdAt: at, data } = delivery;
  const call = signCall(deps.secretKey, webhook, { id, type, at, data }, deps.ctx.clock.now());
  if (call === null) {
    deps.logger.error(
      { webhook: webhook.id },
      'SECRET_KEY differs from the one this webhook was registered with, so the delivery cannot be signed. Give all processes of the hub the same SECRET_KEY.',
    );
    return null;
  }
  const outcome = await deps.http.request({
    ...call,
    signal: AbortSignal.any([deps.ending, AbortSignal.timeout(attemptTimeoutMs)]),
    takeSlot: deps.slots.takeLimitedFor(claimantOf(found)),
  });
  if (!outcome.ok && outcome.fault === 'aborted') throw new Snooze(abortedPauseMs);
  return outcome;
}

function outcomeOf(outcome: GuardedOutcome, { kind, data }: DeliveryRow): AttemptOutcome {
  const isChallenge = kind === challengeKind;
  if (outcome.ok) {
    const { status, body } = outcome;
    if (isChallenge && !echoes(body, data))
      return { kind: 'failed', error: 'bad_response', responseStatus: status };
    return { kind: 'delivered', responseStatus: status };
  }
  if (outcome.fault === 'bad_status')
    return { kind: 'failed', error: 'bad_status', responseStatus: outcome.status };
  // A 2xx response began. Only a challenge needs its body, which may be large, compressed or cut off.
  if (!isChallenge && outcome.received !== null)
    return { kind: 'delivered', responseStatus: outcome.received.status };
  switch (outcome.fault) {
    // Handled in `send`.
    case 'aborted':
    case 'timeout':
      return { kind: 'failed', error: 'timeout', responseStatus: null };
    case 'unreachable':
    case 'blocked':
    case 'bad_response':
    case 'too_large':
      return { kind: 'failed', error: outcome.fault, responseStatus: null };
    case 'encoded':
      return { kind: 'failed', error: 'bad_response', responseStatus: outcome.received?.status ?? null };
  }
}
