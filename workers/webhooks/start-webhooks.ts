/** Starts the webhooks pool: takes deliveries from their queue and posts them to the agents' webhooks. */
import { queueOfKind, readSubjectId } from '#domain/jobs/job-kinds.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { userAgentOf } from '#runtime/guarded-http/user-agent.ts';
import { traceHttp } from '#runtime/guarded-http/traced-http.ts';
import { startJobWorker } from '#runtime/jobs/job-worker.ts';
import { loadSecretKey } from '#runtime/settings/load-secret-key.ts';
import type { PoolDeps, RunningPool } from '../pool.ts';
import { unlessFrozen } from '../unless-frozen.ts';
import { createTargetSlots } from '#runtime/turns/target-slots.ts';
import { deliverWebhook, webhookHttpLimits, type WebhookSenderDeps } from './deliver-webhook.ts';
import { createTurns } from './turns.ts';

const deliveriesBeyondPlaces = 16;
/** Time for running attempts to finish when the process stops. */
const finishMs = 5_000;

export async function startWebhooks(deps: PoolDeps): Promise<RunningPool> {
  const { ctx, logger, tracing, settings, redis, redisUrl, concurrency } = deps;
  const ending = new AbortController();
  const http = createGuardedHttp({
    policy: ctx.rules.targetAddresses,
    limits: webhookHttpLimits,
    userAgent: userAgentOf(settings),
  });
  const slots = createTargetSlots(redis, logger);
  const sender: WebhookSenderDeps = {
    ctx,
    logger,
    http,
    slots,
    turns: createTurns(concurrency),
    secretKey: await loadSecretKey(settings),
    ending: ending.signal,
  };
  const worker = startJobWorker({
    queue: queueOfKind['webhook-delivery'],
    // More deliveries than there are slots are taken from the queue, so that the turns can choose between them.
    concurrency: concurrency + deliveriesBeyondPlaces,
    redisUrl,
    logger,
    tracing,
    handle: unlessFrozen(ctx.db, (job) => {
      const own = { ctx: { ...ctx, cause: job.cause }, logger: job.logger };
      return deliverWebhook(
        { ...sender, ...own, http: traceHttp(http, tracing, job.cause) },
        { jobId: job.id, deliveryId: readSubjectId('webhook-delivery', job.payload) },
      );
    }),
  });
  return {
    drain: async () => {
      const timer = setTimeout(() => ending.abort(), finishMs);
      await worker.drain();
      clearTimeout(timer);
      slots.close();
      http.close();
    },
  };
}
