/** Waits until the mail pool has handed a mail to its transport, so that an answer can tell how that went. */
import type { Ctx } from '#domain/context.ts';
import { findMailOutcome, type MailOutcome } from '#domain/mail/find-mail-outcome.ts';
import { giveUpMail } from '#domain/mail/give-up-mail.ts';
import { mailTopic } from '#domain/mail/end-mail.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import { createSignalWaiter } from './signal-waiter.ts';

export interface AwaitDeliveryInput {
  readonly ctx: Ctx;
  readonly signals: Signals;
  readonly mailId: string;
  readonly timeoutMs: number;
}

/** How long the wait for a signal is before the store is asked anyway. */
const pollIntervalMs = 500;

/**
 * How the delivery has ended. After `timeoutMs` the mail is given up in the store, so that no worker takes it up any more,
 * and what a worker that is at it may still report changes nothing.
 */
export async function awaitDelivery(input: AwaitDeliveryInput): Promise<MailOutcome> {
  const { ctx, signals, mailId, timeoutMs } = input;
  const overdue = AbortSignal.timeout(timeoutMs);
  const waiter = createSignalWaiter(signals, mailTopic(mailId), overdue);
  try {
    while (!overdue.aborted) {
      const outcome = await findMailOutcome(ctx.db, mailId);
      if (outcome !== null) return outcome;
      await waiter.next(pollIntervalMs);
    }
    return await giveUpMail(ctx, { mailId });
  } finally {
    waiter.stop();
  }
}
