/** Webhooks from the payment provider, and the redirect to its checkout. */
import { Webhook } from 'standardwebhooks';
import { createId } from '#runtime/create-id.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import type { TestHub, TestResponse } from '#test/harness/hub.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import type { RowChecks } from '../row-checks.ts';
import type { World } from '../world.ts';

function deliver(
  { hub }: World,
  text: string,
  signed: string = text,
  at: TestHub = hub,
): Promise<TestResponse> {
  const now = hub.clock.now();
  const id = createId(now);
  return at.fetch('/api/webhook/payments', {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(everythingConfigured.paymentsWebhookSecret).sign(id, now, signed),
    },
  });
}

const paid = '{"type":"order.paid"}';

export const paymentRows = {
  'POST /api/webhook/payments': {
    checks: {
      '200 (order.paid)': (world) => deliver(world, paid),
      '200 (customer.state_changed)': (world) => deliver(world, '{"type":"customer.state_changed"}'),
      '200 (an unknown kind)': (world) => deliver(world, '{"type":"something.else"}'),
      '400 invalid_body (no object)': (world) => deliver(world, '[]'),
      '400 invalid_body (no JSON)': (world) => deliver(world, 'x'),
      '403 invalid_signature (of another body)': (world) => deliver(world, paid, '{}'),
      '403 invalid_signature (none)': ({ ask }) => ask(null, '/api/webhook/payments', { type: 'order.paid' }),
      '503 webhook_not_configured': (world) => deliver(world, paid, paid, world.bareHub),
    },
  },
  'GET /checkout': {
    checks: {
      '302 (one product)': ({ ask }) => ask(null, '/checkout?products=one'),
      '302 (all parameters)': ({ ask }) =>
        ask(null, '/checkout?products=one&products=two&externalCustomerId=7&customerEmail=ada@example.org'),
      '400 invalid_parameter (no product)': ({ ask }) => ask(null, '/checkout'),
      '400 invalid_parameter (no address)': ({ ask }) =>
        ask(null, '/checkout?products=one&customerEmail=ada'),
      '502 checkout_failed (a fault)': async ({ ask, provider }) => {
        const { answer } = provider;
        provider.answer = () => new Response('no', { status: 500 });
        return ask(null, '/checkout?products=one').finally(() => (provider.answer = answer));
      },
      '502 checkout_failed (an address without https)': async ({ ask, provider }) => {
        const { answer } = provider;
        provider.answer = () => Response.json({ url: 'http://pay.example' });
        return ask(null, '/checkout?products=one').finally(() => (provider.answer = answer));
      },
      '503 checkout_not_configured': ({ bareHub }) => bareHub.fetch('/checkout?products=one'),
    },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
