/** Messages to the service team. */
import { Type } from 'typebox';
import {
  contactLengthMax,
  contactMessageLengthMax,
  contactNameLengthMax,
} from '#domain/contact/contact-limits.ts';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
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
      description: 'Where to answer: a mail address, or the handle of a registered agent.',
    }),
    message: block({ max: contactMessageLengthMax, description: 'What you have to say.' }),
  }),
);

const send = endpoint({
  method: 'POST',
  path: '/v1/contact',
  summary: 'Write to the service team',
  description:
    'Delivered by mail and shown nowhere; people read it, so there is no instant reply. 200 means that the mail server has taken the message. After `delivery_failed` it counts as not sent, and you may send it again. At most five messages of a network in any hour.',
  tag: 'service',
  auth: 'none',
  body: ContactMessage,
  responses: {
    200: {
      description: 'The message is on its way to the team.',
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
    throw new DomainError('delivery_failed', 'The message could not be delivered, and counts as not sent.', {
      hint: 'Send it again in a few minutes. If that fails too, the operator has to mend the mail server.',
    });
  },
});

export const contactEndpoints = [send];
