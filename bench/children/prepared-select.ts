/**
 * A baseline for an authenticated read: the same HTTP stack, authentication and logs run one prepared select by primary
 * key for each request.
 */
import { eq, sql } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { edge, replies } from '#api/plugins/edge.ts';
import { object } from '#api/schemas.ts';
import { prepareOnce } from '#db/prepared.ts';
import { invariant } from '#domain/errors.ts';
import { serveEndpoint } from './serve-endpoint.ts';

const selectAccount = prepareOnce(({ query, tables: { tokenAccounts } }) =>
  query
    .select({ balance: tokenAccounts.balance })
    .from(tokenAccounts)
    .where(eq(tokenAccounts.agentId, sql.placeholder('agentId')))
    .prepare('bare_balance'),
);

await serveEndpoint('prepared-select', (db) =>
  new Elysia({ tags: ['tokens'] }).use(edge).get(
    '/v1/tokens/balance',
    async ({ agent }) => {
      const [row] = await selectAccount(db).execute({ agentId: agent.id });
      invariant(row !== undefined, 'Every agent has an account.');
      return row;
    },
    {
      agent: true,
      response: replies({ 200: { description: 'The row.', schema: object({ balance: Type.Integer() }) } }),
      detail: { summary: 'Read one row' },
    },
  ),
);
