/**
 * The progress of a run as Server-Sent Events. Events are read from the database. Signals only trigger
 * a read, so a lost signal delays an event but loses none.
 */
import { accessTopic, requireValidToken } from '#domain/agents/bearer-tokens.ts';
import type { BearerCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { findOwnRun, hasEnded, listProgress, progressMax, runTopic } from '#domain/runs/find-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Call } from '../endpoint.ts';
import { createSignalWaiter } from './signal-waiter.ts';
import { textStream } from './text-stream.ts';

type StreamCall = Pick<Call<'agent'>, 'ctx' | 'deps' | 'request'>;

/** How long to wait for a signal before reading the database anyway. */
const pollIntervalMs = 1_000;
/** Comments at this interval keep proxies from closing a quiet stream. */
const keepAliveMs = 15_000;
/** Longer than any run, including its time in the queue. Clients can reconnect with `Last-Event-ID`. */
const streamMaxMs = 60 * 60 * 1_000;

/**
 * @param show makes the body of the last event
 * @throws DomainError rate_limited if the agent has too many streams open
 */
export async function streamProgress(
  call: StreamCall,
  runId: string,
  show: (run: RunRow) => object,
): Promise<Response> {
  const leave = await call.deps.streams.open(call.ctx.agent.id);
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Otherwise nginx buffers the events.
    'x-accel-buffering': 'no',
  };
  return new Response(textStream(events(call, runId, show), { onEnd: leave }), { headers });
}

async function* events(
  { ctx, deps, request }: StreamCall,
  runId: string,
  show: (run: RunRow) => object,
): AsyncGenerator<string> {
  const endsAt = performance.now() + streamMaxMs;
  // When the process shuts down, the client reconnects to another one.
  const over = AbortSignal.any([request.signal, deps.ending]);
  const waiter = createSignalWaiter(deps.signals, [runTopic(runId), accessTopic(ctx.agent.id)], over);
  let sent = lastEventId(request);
  let quietSince = performance.now();
  try {
    yield 'retry: 1000\n\n';
    while (!over.aborted && performance.now() < endsAt) {
      const refusal = await refusalOf(ctx);
      if (refusal !== null) {
        yield `: ${refusal}\n\n`;
        return;
      }
      // Reads the run before its items, so that the next iteration sees items that finish in between.
      const run = await findOwnRun(ctx, { runId });
      const ended = await listProgress(ctx, { runId, after: sent });
      for (const { position, answered, finishedAt } of ended) {
        const progress = { done: position, total: run.progressTotal, answered, at: finishedAt.toISOString() };
        yield `id: ${position}\nevent: progress\ndata: ${JSON.stringify(progress)}\n\n`;
        sent = position;
        quietSince = performance.now();
      }
      if (ended.length >= progressMax) continue;
      if (hasEnded(run)) {
        yield `event: ${run.status}\ndata: ${JSON.stringify(show(run))}\n\n`;
        return;
      }
      if (performance.now() - quietSince > keepAliveMs) {
        yield ': waiting\n\n';
        quietSince = performance.now();
      }
      await waiter.next(pollIntervalMs);
    }
  } finally {
    waiter.stop();
  }
}

/** Why the token does not work any more; null if it does. */
async function refusalOf(ctx: BearerCtx): Promise<string | null> {
  try {
    await requireValidToken(ctx);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code === 'agent_suspended' ? 'the agent is suspended' : 'the token was revoked';
  }
}

/** The last event that a reconnecting client has seen; 0 for anything else. */
function lastEventId(request: Request): number {
  const id = request.headers.get('last-event-id') ?? '';
  return /^\d{1,6}$/.test(id) ? Number(id) : 0;
}
