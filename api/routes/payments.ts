/** Webhooks of the payment provider and the redirect to its checkout. Nothing is for sale yet. */
import { Type } from 'typebox';
import { receivePaymentEvent } from '#domain/payments/receive-payment-event.ts';
import { DomainError } from '#domain/errors.ts';
import { isPlainAddress } from '#domain/mail/mailbox.ts';
import { respond, endpoint } from '../endpoint.ts';
import { requireSecret, requireSignature } from '../access/signed-delivery.ts';
import { component, object } from '../schemas/object.ts';
import { line } from '../schemas/text.ts';

const kindForm = /^[\w.-]{1,100}$/;
const productsMax = 20;
/** In code points, as is `customerLengthMax`. */
const productLengthMax = 200;
const customerLengthMax = 254;

const secretOf = (settings: { readonly paymentsWebhookSecret: string | null }): string =>
  requireSecret(settings.paymentsWebhookSecret, 'PAYMENTS_WEBHOOK_SECRET');

const webhook = endpoint({
  method: 'POST',
  path: '/api/webhook/payments',
  summary: 'Receive a webhook from the payment provider',
  description:
    'Signed according to Standard Webhooks over the raw body. Repeated ids and unknown kinds are acknowledged and ignored. `order.paid` and `customer.state_changed` grant nothing.',
  tag: 'payments',
  auth: 'none',
  requires: (settings) => void secretOf(settings),
  body: component(
    'PaymentEvent',
    Type.Object({}, { additionalProperties: true, description: "The event in the provider's format." }),
  ),
  responses: {
    200: {
      description: 'The delivery is recorded.',
      schema: component('DeliveryReceived', object({ received: Type.Literal(true) })),
    },
  },
  errors: ['webhook_not_configured', 'invalid_webhook_signature'],
  handle: async ({ ctx, deps, request, body, rawBody }) => {
    const delivery = { request, rawBody, now: ctx.clock.now() };
    const webhookId = requireSignature(secretOf(deps.settings), delivery);
    await receivePaymentEvent(ctx, { webhookId, kind: kindOf(body) });
    return { received: true as const };
  },
});

function kindOf(body: object): string | null {
  const kind = 'type' in body ? body.type : null;
  return typeof kind === 'string' && kindForm.test(kind) ? kind : null;
}

const checkout = endpoint({
  method: 'GET',
  path: '/checkout',
  summary: 'Redirect to the checkout of the payment provider',
  description: 'Nothing is for sale yet. Clients must not depend on this endpoint.',
  tag: 'payments',
  auth: 'none',
  requires: ({ checkoutApiUrl, checkoutAccessToken }) => {
    if (checkoutApiUrl === null || checkoutAccessToken === null) throw notConfigured();
  },
  query: object({
    products: Type.Array(line({ max: productLengthMax }), {
      minItems: 1,
      maxItems: productsMax,
      description: 'The products to buy. Repeat the parameter for each product.',
    }),
    externalCustomerId: Type.Optional(
      line({ max: productLengthMax, description: 'Your own id for the customer.' }),
    ),
    customerEmail: Type.Optional(line({ max: customerLengthMax, description: 'An email address.' })),
  }),
  responses: {
    302: { description: 'Redirects to the hosted checkout.', headers: { Location: 'An https URL.' } },
  },
  errors: ['checkout_not_configured', 'checkout_failed'],
  handle: async ({ deps, query, signal }) => {
    if (deps.checkout === null) throw notConfigured();
    if (query.customerEmail !== undefined && !isPlainAddress(query.customerEmail)) {
      throw new DomainError(
        'invalid_parameter',
        '`customerEmail` must be an email address such as ada@example.org.',
      );
    }
    const url = await deps.checkout.open(
      {
        products: query.products,
        externalCustomerId: query.externalCustomerId ?? null,
        customerEmail: query.customerEmail ?? null,
      },
      signal,
    );
    return respond(302, null, { location: url });
  },
});

function notConfigured(): DomainError {
  return new DomainError('checkout_not_configured', 'Payments are not configured on this hub.', {
    hint: 'Nothing is for sale. The operator can enable checkout with CHECKOUT_API_URL and CHECKOUT_ACCESS_TOKEN.',
  });
}

export const paymentEndpoints = [webhook, checkout];
