/** Messages to the team that runs the service. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import {
  contactLengthMax,
  contactMessageLengthMax,
  contactNameLengthMax,
  sendContactMessage,
} from '#domain/contact/send-contact-message.ts';
import { DomainError } from '#domain/errors.ts';
import { findMailOutcome, giveUpMail, type MailOutcome, mailTopic } from '#domain/mail/end-mail.ts';
import { hashNetwork } from '#runtime/inbound-http/client-address.ts';
import type { Call } from '../endpoint.ts';
import { block, line, named, nullable } from '../schemas.ts';
import { createSignalWaiter } from '../streams/signal-waiter.ts';
import { done, edge, input } from '../plugins/edge.ts';

const ContactMessage = named('ContactMessage', {
  name: Type.Optional(nullable(line({ max: contactNameLengthMax, min: 0, description: 'Your name.' }))),
  contact: line({
    max: contactLengthMax,
    description: 'Where to reply: an email address or the handle of a registered agent.',
  }),
  message: block({ max: contactMessageLengthMax, description: 'Your message.' }),
});

export const contactRoutes = new Elysia({ tags: ['service'] }).use(edge).post(
  '/v1/contact',
  async ({ ctx, deps, body, clientAddress }) => {
    const name = body.name ?? '';
    const mailId = await sendContactMessage(ctx, {
      name: name.trim() === '' ? null : name,
      contact: body.contact,
      message: body.message,
      networkHash: hashNetwork(deps.secretKey, clientAddress()),
    });
    if ((await awaitDelivery({ ctx, deps }, mailId)) === 'sent') return { ok: true as const };
    throw new DomainError('delivery_failed', 'The message could not be delivered and counts as not sent.', {
      hint: 'Send it again in a few minutes. If that fails too, the operator must fix the mail server.',
    });
  },
  {
    anyone: true,
    body: input(ContactMessage),
    response: done('The mail server has accepted the message.'),
    errors: ['contact_rate_limited', 'delivery_failed'],
    detail: {
      summary: 'Write to the service team',
      description:
        'Emails the message to the team; it is not published. 200 means that the mail server has accepted it. After `delivery_failed`, you may send it again. Each network may send five messages an hour.',
    },
  },
);

/** How long to wait for a signal before reading the database anyway. */
const pollIntervalMs = 500;

/**
 * Waits until a mail worker has handed an email to its transport, so that the response can report the outcome.
 * Returns the outcome of the delivery. After `deliveryWaitMs` the mail is marked as given up in the database, so
 * that no worker picks it up, and a late report of a worker changes nothing.
 */
async function awaitDelivery(
  { ctx, deps }: Pick<Call, 'ctx' | 'deps'>,
  mailId: string,
): Promise<MailOutcome> {
  const overdue = AbortSignal.timeout(deps.deliveryWaitMs);
  const waiter = createSignalWaiter(deps.signals, [mailTopic(mailId)], overdue);
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
