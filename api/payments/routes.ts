/** Webhooks of the payment provider and the redirect to its checkout. Nothing is for sale yet. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { DomainError } from '#domain/errors.ts';
import { isPlainAddress } from '#domain/mail/mailbox.ts';
import { respond } from '../endpoint.ts';
import { signedWith } from '../access/signed-delivery.ts';
import { component, line, named } from '../schemas.ts';
import { edge, fields, input, ok, replies } from '../plugins/edge.ts';
import type { ApiSettings } from '../deps.ts';

const productsMax = 20;
/** In code points, as is `customerLengthMax`. */
const productLengthMax = 200;
const customerLengthMax = 254;

const delivery = signedWith('paymentsWebhookSecret', 'PAYMENTS_WEBHOOK_SECRET');

export const paymentRoutes = new Elysia({ tags: ['payments'] })
  .use(edge)
  .post(
    '/api/webhook/payments',
    (call) => {
      delivery.check(call);
      return { received: true as const };
    },
    {
      anyone: true,
      requires: delivery.requires,
      body: input(
        component(
          'PaymentEvent',
          Type.Object({}, { additionalProperties: true, description: "The event in the provider's format." }),
        ),
      ),
      response: ok(
        'The delivery is acknowledged.',
        named('DeliveryReceived', { received: Type.Literal(true) }),
      ),
      errors: ['webhook_not_configured', 'invalid_webhook_signature'],
      detail: {
        summary: 'Receive a webhook from the payment provider',
        description:
          'Signed according to Standard Webhooks over the raw body. Every event is acknowledged and ignored: `order.paid` and `customer.state_changed` grant nothing.',
      },
    },
  )
  .get(
    '/checkout',
    async ({ deps, query, signal }) => {
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
        signal(),
      );
      return respond(302, null, { location: url });
    },
    {
      anyone: true,
      requires: ({ checkoutApiUrl, checkoutAccessToken }: ApiSettings) => {
        if (checkoutApiUrl === null || checkoutAccessToken === null) throw notConfigured();
      },
      query: fields({
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
      response: replies({
        302: { description: 'Redirects to the hosted checkout.', headers: { Location: 'An https URL.' } },
      }),
      errors: ['checkout_not_configured', 'checkout_failed'],
      detail: {
        summary: 'Redirect to the checkout of the payment provider',
        description: 'Nothing is for sale yet. Clients must not depend on this endpoint.',
      },
    },
  );

function notConfigured(): DomainError {
  return new DomainError('checkout_not_configured', 'Payments are not configured on this hub.', {
    hint: 'Nothing is for sale. The operator can enable checkout with CHECKOUT_API_URL and CHECKOUT_ACCESS_TOKEN.',
  });
}
