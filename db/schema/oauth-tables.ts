/** OAuth: the clients that registered themselves, and authorization requests with their codes. */
import type { AgentsTable, BearerTokensTable, Scope } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeOauthTables(kit: ColumnKit, agents: AgentsTable, bearerTokens: BearerTokensTable) {
  const oauthClients = kit.table(
    'oauth_clients',
    {
      id: kit.id('id').primaryKey(),
      name: kit.text('name').notNull(),
      redirectUris: kit.json<readonly string[]>('redirect_uris').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      /** When an agent last approved a request of it, or it last used a grant. */
      lastUsedAt: kit.instant('last_used_at'),
    },
    (t) => [kit.index('oauth_clients_by_use').on(t.lastUsedAt, t.createdAt)],
  );

  const oauthRequests = kit.table(
    'oauth_requests',
    {
      id: kit.id('id').primaryKey(),
      /** Of the secret in the address of the consent page. */
      requestHash: kit.text('request_hash').notNull().unique('oauth_requests_hash_unique'),
      /** The id of a registered client, or the URL of a client's metadata document. */
      clientId: kit.text('client_id').notNull(),
      /** As shown on the consent page. */
      clientName: kit.text('client_name').notNull(),
      redirectUri: kit.text('redirect_uri').notNull(),
      scopes: kit.json<readonly Scope[]>('scopes').notNull(),
      state: kit.text('state'),
      codeChallenge: kit.text('code_challenge').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      /** Of the request until it is approved, then of its code. */
      expiresAt: kit.instant('expires_at').notNull(),
      /** The agent that approved it. */
      agentId: kit.id('agent_id').references(() => agents.id),
      codeHash: kit.text('code_hash').unique('oauth_requests_code_unique'),
      usedAt: kit.instant('used_at'),
      /** The grant that the code was exchanged for. */
      bearerTokenId: kit.id('bearer_token_id').references(() => bearerTokens.id, { onDelete: 'set null' }),
    },
    (t) => [
      kit.index('oauth_requests_by_creation').on(t.createdAt),
      kit.index('oauth_requests_by_agent').on(t.agentId, t.id),
      kit.index('oauth_requests_by_token').on(t.bearerTokenId),
    ],
  );

  return { oauthClients, oauthRequests };
}
