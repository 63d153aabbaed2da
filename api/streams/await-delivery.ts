/**
 * Waits until a mail worker has handed an email to its transport, so that the response can report the outcome.
 */
import type { Ctx } from '#domain/context.ts';
import { findMailOutcome, giveUpMail, type MailOutcome, mailTopic } from '#domain/mail/end-mail.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import { createSignalWaiter } from './signal-waiter.ts';

export interface AwaitDeliveryInput {
  readonly ctx: Ctx;
  readonly signals: Signals;
  readonly mailId: string;
  readonly timeoutMs: number;
}

/** How long to wait for a signal before reading the database anyway. */
const pollIntervalMs = 500;

/**
 * Returns the outcome of the delivery. After `timeoutMs` the mail is marked as given up in the database, so
 * that no worker picks it up, and a late report of a worker changes nothing.
 */
export async function awaitDelivery(input: AwaitDeliveryInput): Promise<MailOutcome> {
  const { ctx, signals, mailId, timeoutMs } = input;
  const overdue = AbortSignal.timeout(timeoutMs);
  const waiter = createSignalWaiter(signals, [mailTopic(mailId)], overdue);
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
