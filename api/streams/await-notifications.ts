/** Waits until the acting agent has a notification after its cursor. */
import { accessTopic, requireValidToken } from '#domain/agents/bearer-tokens.ts';
import type { BearerCtx } from '#domain/context.ts';
import {
  type ListedNotifications,
  listNotifications,
  type ListNotificationsInput,
} from '#domain/notifications/list-notifications.ts';
import { notificationsTopic } from '#domain/notifications/notify-agents.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import { createSignalWaiter } from './signal-waiter.ts';

export interface AwaitNotificationsInput extends ListNotificationsInput {
  readonly signals: Signals;
  /** 0 returns immediately. */
  readonly waitMs: number;
  /** Aborts when the client disconnects or the process shuts down. */
  readonly over: AbortSignal;
}

/**
 * Reads the store once, and again after each signal and at the end of the wait. A lost signal therefore only
 * delays the response, and agents that wait cost the store nothing.
 * @throws DomainError invalid_token, agent_suspended if the agent lost its access while waiting
 */
export async function awaitNotifications(
  ctx: BearerCtx,
  { signals, waitMs, over, ...input }: AwaitNotificationsInput,
): Promise<ListedNotifications> {
  if (waitMs === 0) return listNotifications(ctx, input);
  const waiter = createSignalWaiter(
    signals,
    [notificationsTopic(ctx.agent.id), accessTopic(ctx.agent.id)],
    over,
  );
  const endsAt = performance.now() + waitMs;
  try {
    for (;;) {
      const listed = await listNotifications(ctx, input);
      const leftMs = endsAt - performance.now();
      if (listed.notifications.length > 0 || leftMs <= 0 || over.aborted) return listed;
      await waiter.next(leftMs);
      await requireValidToken(ctx);
    }
  } finally {
    waiter.stop();
  }
}
