/** Sessions of the site, and the links that start them. */
import type { AgentsTable, BearerTokensTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeSessionTables(kit: ColumnKit, agents: AgentsTable, bearerTokens: BearerTokensTable) {
  const sessions = kit.table(
    'sessions',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      /**
       * The token with which the link was requested. When it is revoked, the session ends. Null if a key file started the
       * session, which creates no token.
       */
      bearerTokenId: kit.id('bearer_token_id').references(() => bearerTokens.id, { onDelete: 'cascade' }),
      /** Of the link that starts it; null if a key file did. */
      linkHash: kit.text('link_hash').unique('sessions_link_unique'),
      /** Null until a browser has used the link. */
      sessionHash: kit.text('session_hash').unique('sessions_hash_unique'),
      userAgent: kit.text('user_agent').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      lastUsedAt: kit.instant('last_used_at').notNull(),
      /** Of the link until it is used, then of the session. */
      expiresAt: kit.instant('expires_at').notNull(),
    },
    (t) => [
      kit.index('sessions_by_agent').on(t.agentId, t.id),
      kit.index('sessions_by_token').on(t.bearerTokenId),
    ],
  );

  return { sessions };
}
