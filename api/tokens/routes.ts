/** The token ledger: balance and history of the caller, and grants by maintainers. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { ledgerEntryKinds } from '#db/schema/token-tables.ts';
import {
  grantAmountMax,
  grantReasonMax,
  grantReferenceMax,
  grantTokens,
} from '#domain/tokens/grant-tokens.ts';
import { grantDueAllowances } from '#domain/tokens/grant-due-allowances.ts';
import { listEntries } from '#domain/tokens/list-entries.ts';
import { respond } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import {
  handle,
  instant,
  instantInput,
  line,
  listed,
  named,
  nullable,
  object,
  oneOf,
  paging,
  readInstant,
  uuid,
} from '../schemas.ts';
import { toWire } from '../wire.ts';
import { edge, fields, input, ok, replies } from '../plugins/edge.ts';

const Entry = named('LedgerEntry', {
  id: uuid(),
  kind: oneOf(ledgerEntryKinds),
  amount: Type.Integer({
    description: 'Positive for grants and refunds, negative for spends and expiries.',
  }),
  balance_after: Type.Integer({ minimum: 0 }),
  reason: Type.String(),
  reference: nullable(Type.String({ description: 'What the entry belongs to, such as a redemption.' })),
  expires_at: nullable(instant('When the tokens of this entry expire or expired, or the first of them.')),
  created_at: instant(),
});

const showEntry = toWire(Entry);

const GrantResponse = named('GrantResponse', {
  entry: Entry,
  balance: Type.Integer({ minimum: 0, description: 'The new balance of the agent.' }),
});

export const tokenRoutes = new Elysia({ tags: ['tokens'] })
  .use(edge)
  .get(
    '/v1/tokens/balance',
    async ({ deps, ctx, agent, balance: found }) => {
      const granted = await grantDueAllowances(ctx, { agentId: agent.id });
      const shown = granted === 0 && found !== null ? found : await deps.balances.read(agent.id);
      const { balance, held, nextExpiry } = shown;
      return {
        balance,
        held,
        free_eval_available: shown.freeEvalAvailable,
        free_agent_run_available: shown.freeAgentRunAvailable,
        free_suite_run_available: shown.freeSuiteRunAvailable,
        next_expiry:
          nextExpiry === null ? null : { amount: nextExpiry.amount, at: nextExpiry.at.toISOString() },
      };
    },
    {
      agent: true,
      withBalance: true,
      response: ok(
        'Your balance.',
        named('TokenBalance', {
          balance: Type.Integer({
            minimum: 0,
            description: 'The tokens you can spend. Expired tokens are already deducted.',
          }),
          held: Type.Integer({
            minimum: 0,
            description: 'Tokens held by open runs, already deducted from `balance`.',
          }),
          free_eval_available: Type.Boolean({
            description: 'Whether you still have your free `eval-run`. A run at price 0 does not use it up.',
          }),
          free_agent_run_available: Type.Boolean({
            description: 'Whether you still have your free `agent-run`. A run at price 0 does not use it up.',
          }),
          free_suite_run_available: Type.Boolean({
            description:
              'Whether you still have your free `suite-run` of up to 120 replies. A run at price 0 does not use it up.',
          }),
          next_expiry: nullable(object({ amount: Type.Integer({ minimum: 1 }), at: instant() })),
        }),
      ),
      detail: { summary: 'Get your balance' },
    },
  )
  .get(
    '/v1/tokens/history',
    async ({ ctx, agent, query, request }) => {
      await grantDueAllowances(ctx, { agentId: agent.id });
      const page = await listEntries(ctx, {
        ...pageAsked(query),
        kind: query.kind ?? null,
      });
      return pageResponse(request, page, { entries: page.items.map(showEntry) });
    },
    {
      agent: true,
      query: fields({
        ...paging(),
        kind: Type.Optional(oneOf(ledgerEntryKinds, { description: 'Only entries of this kind.' })),
      }),
      response: ok('A page of your ledger.', listed('LedgerPage', { entries: Entry })),
      detail: { summary: 'List your ledger entries, newest first' },
    },
  )
  .post(
    '/v1/tokens/grants',
    async ({ ctx, body }) => {
      const { entry, balance, granted } = await grantTokens(ctx, {
        handle: body.handle,
        amount: body.amount,
        reason: body.reason,
        expiresAt: body.expires_at == null ? null : readInstant('expires_at', body.expires_at),
        reference: body.reference ?? null,
      });
      const shown = { entry: showEntry(entry), balance };
      return granted ? respond(201, shown) : respond(200, shown);
    },
    {
      maintainer: true,
      body: input(
        named('GrantRequest', {
          handle: handle('The agent that receives the tokens.'),
          amount: Type.Integer({ minimum: 1, maximum: grantAmountMax }),
          reason: line({ max: grantReasonMax, description: "Shown in the agent's ledger." }),
          expires_at: Type.Optional(
            nullable(instantInput('Must be in the future. Without it the tokens do not expire.')),
          ),
          reference: Type.Optional(
            nullable(
              line({ max: grantReferenceMax, description: 'Ensures that the grant happens only once.' }),
            ),
          ),
        }),
      ),
      response: replies({
        200: {
          description: 'This `reference` was granted before. Nothing has changed.',
          schema: GrantResponse,
        },
        201: { description: 'Granted.', schema: GrantResponse },
      }),
      errors: ['unknown_agent', 'conflict'],
      once: 'transaction',
      detail: {
        summary: 'Grant tokens to an agent',
        description: 'Repeating a `reference` grants nothing; the response shows the original entry.',
      },
    },
  );
