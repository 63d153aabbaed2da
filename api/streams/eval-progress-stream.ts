/**
 * The progress of an eval job as Server-Sent Events. What is sent is read from the store; signals only say when to look,
 * so that a lost one delays an event and loses none.
 */
import { isBearerTokenValid } from '#domain/agents/bearer-tokens/is-bearer-token-valid.ts';
import type { BearerCtx } from '#domain/context.ts';
import { evalJobTopic } from '#domain/eval-jobs/eval-job-topic.ts';
import { findOwnEvalJob, listEvalProgress } from '#domain/eval-jobs/show-eval-job.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import { showEvalJob } from '../schemas/eval-job.ts';
import type { OpenStreams } from './open-streams.ts';
import { createSignalWaiter } from './signal-waiter.ts';

export interface ProgressStreamInput {
  readonly ctx: BearerCtx;
  readonly signals: Signals;
  readonly streams: OpenStreams;
  readonly evalJobId: string;
  readonly request: Request;
  /** Ends the stream when the process is about to end; the client comes back to another one. */
  readonly ending: AbortSignal;
}

/** How long a follower waits for a signal before it looks by itself. */
const pollIntervalMs = 1_000;
/** A comment keeps proxies from taking a quiet stream for a dead one. */
const keepAliveMs = 15_000;
/** No run lasts longer than its deadline and the time it may wait in the queue; a client can come back with `Last-Event-ID`. */
const streamMaxMs = 60 * 60 * 1_000;

/** @throws DomainError rate_limited when the agent follows too many jobs at once */
export async function streamEvalProgress(input: ProgressStreamInput): Promise<Response> {
  const leave = await input.streams.open(input.ctx.agent.id);
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // nginx would otherwise hold events back.
    'x-accel-buffering': 'no',
  };
  return new Response(asStream(events(input), leave), { headers });
}

/**
 * Reads on only as fast as the client does, and ends the generator when the client is gone, which may be before it began.
 *
 * @param onEnd called at least once, however it ends
 */
function asStream(chunks: AsyncGenerator<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await chunks.next();
        if (done !== true) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    cancel: async () => {
      onEnd();
      await chunks.return(undefined);
    },
  });
}

async function* events(input: ProgressStreamInput): AsyncGenerator<Uint8Array> {
  const { ctx, evalJobId, request } = input;
  const encoder = new TextEncoder();
  const endsAt = performance.now() + streamMaxMs;
  const over = AbortSignal.any([request.signal, input.ending]);
  const waiter = createSignalWaiter(input.signals, evalJobTopic(evalJobId), over);
  let sent = lastEventId(request);
  let quietSince = performance.now();
  try {
    yield encoder.encode('retry: 1000\n\n');
    while (!over.aborted && performance.now() < endsAt) {
      if (!(await isBearerTokenValid(ctx))) {
        yield encoder.encode(': the token was revoked\n\n');
        return;
      }
      // The job first: cases that land after this look are seen by the next one.
      const job = await findOwnEvalJob(ctx, { evalJobId });
      for (const { position, answered, finishedAt } of await listEvalProgress(ctx, {
        evalJobId,
        after: sent,
      })) {
        const progress = { done: position, total: job.progressTotal, answered, at: finishedAt.toISOString() };
        yield encoder.encode(`id: ${position}\nevent: progress\ndata: ${JSON.stringify(progress)}\n\n`);
        sent = position;
        quietSince = performance.now();
      }
      if (job.status === 'completed' || job.status === 'failed') {
        yield encoder.encode(
          `event: ${job.status}\ndata: ${JSON.stringify({ eval_job: showEvalJob(job) })}\n\n`,
        );
        return;
      }
      if (performance.now() - quietSince > keepAliveMs) {
        yield encoder.encode(': waiting\n\n');
        quietSince = performance.now();
      }
      await waiter.next(pollIntervalMs);
    }
  } finally {
    waiter.stop();
  }
}

/** A client that comes back says which event it has seen last; anything else starts at the first. */
function lastEventId(request: Request): number {
  const id = request.headers.get('last-event-id') ?? '';
  return /^\d{1,6}$/.test(id) ? Number(id) : 0;
}
