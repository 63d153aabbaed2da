/**
 * A baseline for an authenticated read: the same HTTP stack, authentication and logs run one prepared select by primary
 * key for each request.
 */
import { eq, sql } from 'drizzle-orm';
import { Type } from 'typebox';
import { endpoint } from '#api/endpoint.ts';
import { object } from '#api/schemas/object.ts';
import { prepareOnce } from '#db/prepare-once.ts';
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
  endpoint({
    method: 'GET',
    path: '/v1/tokens/balance',
    summary: 'Read one row',
    tag: 'tokens',
    auth: 'agent',
    responses: {
      200: { description: 'The row.', schema: object({ balance: Type.Integer() }) },
    },
    handle: async ({ agent }) => {
      const [row] = await selectAccount(db).execute({ agentId: agent.id });
      invariant(row !== undefined, 'Every agent has an account.');
      return row;
    },
  }),
);
