/** Waits until a run in pull mode has a case to offer, or has ended. */
import { accessTopic, requireValidToken } from '#domain/agents/bearer-tokens.ts';
import type { BearerCtx } from '#domain/context.ts';
import { runTopic } from '#domain/runs/run-limits.ts';
import { type HandedOut, handOutCases, type HandOutInput } from '#domain/runs/pull/hand-out-cases.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import { createSignalWaiter } from './signal-waiter.ts';

export interface AwaitCasesInput extends HandOutInput {
  /** 0 returns immediately. */
  readonly waitMs: number;
  readonly signals: Signals;
  /** Aborts when the client disconnects or the process shuts down. */
  readonly over: AbortSignal;
}

/**
 * Reads the store once, and again after each signal for this run and at the end of the wait. A lost signal therefore
 * only delays the response, and agents that wait cost the store nothing.
 * @throws DomainError invalid_token, agent_suspended if the agent lost its access while waiting
 */
export async function awaitCases(
  ctx: BearerCtx,
  { waitMs, signals, over, ...input }: AwaitCasesInput,
): Promise<HandedOut> {
  if (waitMs === 0) return handOutCases(ctx, input);
  const waiter = createSignalWaiter(signals, [runTopic(input.runId), accessTopic(ctx.agent.id)], over);
  const endsAt = performance.now() + waitMs;
  try {
    for (;;) {
      const handedOut = await handOutCases(ctx, input);
      const leftMs = endsAt - performance.now();
      if (handedOut.cases.length > 0 || handedOut.ended || leftMs <= 0 || over.aborted) return handedOut;
      await waiter.next(leftMs);
      await requireValidToken(ctx);
    }
  } finally {
    waiter.stop();
  }
}
