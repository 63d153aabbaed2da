/** The service itself: health, contact messages, support intents and supporters. */
import type { TestResponse } from '#test/harness/hub.ts';
import { smtpError } from '#test/harness/smtp.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import { needsToken, type RowChecks } from '../row-checks.ts';
import type { World } from '../world.ts';

export function contact(
  { ask, newNetwork }: World,
  changes: object = {},
  from = newNetwork(),
): Promise<TestResponse> {
  const json = { contact: 'grace@example.org', message: 'Hello', ...changes };
  return ask(null, '/v1/contact', json, { headers: { 'x-forwarded-for': from } });
}

export function intend({ ask }: World, changes: object = {}): Promise<TestResponse> {
  return ask(null, '/v1/support/intent', { tier: 'supporter', ...changes });
}

export const serviceRows = {
  'GET /v1/health': {
    checks: { 200: ({ ask }) => ask(null, '/v1/health') },
    shows: { Health: (body) => body, Payments: (body) => body.payments },
  },
  'POST /v1/contact': {
    checks: {
      '200 (a mail address)': (world) => contact(world, { name: 'Grace' }),
      '200 (a registered handle)': (world) => contact(world, { contact: 'ada' }),
      '400 invalid_body (no contact)': (world) => contact(world, { contact: undefined }),
      '400 invalid_body (no message)': (world) => contact(world, { message: undefined }),
      '400 invalid_body (neither address nor handle)': (world) => contact(world, { contact: 'nobody-here' }),
      '429 contact_rate_limited': async (world) => {
        const network = world.newNetwork();
        for (let i = 0; i < 5; i += 1) await contact(world, {}, network);
        return contact(world, {}, network);
      },
      '502 delivery_failed': async (world) => {
        world.smtp.onMessage = () => {
          throw smtpError(550);
        };
        try {
          return await contact(world);
        } finally {
          world.smtp.onMessage = () => {};
        }
      },
    },
  },
  'POST /v1/support/intent': {
    checks: {
      200: (world) => intend(world, { contact: 'grace@example.org' }),
      '400 invalid_body (no tier)': (world) => intend(world, { tier: undefined }),
      '400 invalid_body (an unknown tier)': (world) => intend(world, { tier: 'none' }),
      '503 database_pending': ({ demoHub }) =>
        demoHub.fetch('/v1/support/intent', { json: { tier: 'sponsor' } }),
    },
  },
  'GET /v1/supporter/list': {
    checks: {
      200: async ({ ask, maintainer, newAgent }) => {
        const { handle } = await newAgent();
        await ask(maintainer, '/v1/supporters', { handle, tier: 'supporter' });
        return ask(null, '/v1/supporter/list');
      },
    },
    shows: { WallEntry: (body) => body[0] },
  },
  'GET /v1/supporter/status': {
    checks: {
      200: ({ ask, ada }) => ask(ada, '/v1/supporter/status'),
      ...needsToken('/v1/supporter/status'),
    },
    shows: { SupportStatus: (body) => body },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
