/** Messages to the team that runs the service. */
import { Type } from 'typebox';
import {
  contactLengthMax,
  contactMessageLengthMax,
  contactNameLengthMax,
  sendContactMessage,
} from '#domain/contact/send-contact-message.ts';
import { DomainError } from '#domain/errors.ts';
import { hashNetwork } from '#runtime/inbound-http/client-address.ts';
import { endpoint } from '../endpoint.ts';
import { awaitDelivery } from '../streams/await-delivery.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { block, line } from '../schemas/text.ts';

const ContactMessage = component(
  'ContactMessage',
  object({
    name: Type.Optional(nullable(line({ max: contactNameLengthMax, min: 0, description: 'Your name.' }))),
    contact: line({
      max: contactLengthMax,
      description: 'Where to reply: an email address or the handle of a registered agent.',
    }),
    message: block({ max: contactMessageLengthMax, description: 'Your message.' }),
  }),
);

const send = endpoint({
  method: 'POST',
  path: '/v1/contact',
  summary: 'Write to the service team',
  description:
    'Emails the message to the team; it is not published. 200 means that the mail server has accepted it. After `delivery_failed`, you may send it again. Each network may send five messages an hour.',
  tag: 'service',
  auth: 'none',
  body: ContactMessage,
  responses: {
    200: {
      description: 'The mail server has accepted the message.',
      schema: component('ContactSent', object({ ok: Type.Literal(true) })),
    },
  },
  errors: ['contact_rate_limited', 'delivery_failed'],
  handle: async ({ ctx, deps, body, clientAddress }) => {
    const name = body.name ?? '';
    const mailId = await sendContactMessage(ctx, {
      name: name.trim() === '' ? null : name,
      contact: body.contact,
      message: body.message,
      networkHash: hashNetwork(deps.secretKey, clientAddress),
    });
    const timeoutMs = deps.deliveryWaitMs;
    const outcome = await awaitDelivery({ ctx, signals: deps.signals, mailId, timeoutMs });
    if (outcome === 'sent') return { ok: true as const };
    throw new DomainError('delivery_failed', 'The message could not be delivered and counts as not sent.', {
      hint: 'Send it again in a few minutes. If that fails too, the operator must fix the mail server.',
    });
  },
});

export const contactEndpoints = [send];
