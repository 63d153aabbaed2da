/** Sign-in links and sessions of the site. */
import type { AgentsTable, BearerTokensTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeSessionTables(kit: ColumnKit, agents: AgentsTable, bearerTokens: BearerTokensTable) {
  const owner = {
    agentId: () =>
      kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
    /** The token with which the link was requested. When it is revoked, its sessions end. */
    bearerTokenId: () => kit.id('bearer_token_id').references(() => bearerTokens.id, { onDelete: 'cascade' }),
  };

  const signInLinks = kit.table(
    'sign_in_links',
    {
      id: kit.id('id').primaryKey(),
      agentId: owner.agentId(),
      bearerTokenId: owner.bearerTokenId().notNull(),
      linkHash: kit.text('link_hash').notNull().unique('sign_in_links_hash_unique'),
      createdAt: kit.instant('created_at').notNull(),
      expiresAt: kit.instant('expires_at').notNull(),
      usedAt: kit.instant('used_at'),
    },
    (t) => [
      kit.index('sign_in_links_by_agent').on(t.agentId, t.createdAt),
      kit.index('sign_in_links_by_token').on(t.bearerTokenId),
    ],
  );

  const sessions = kit.table(
    'sessions',
    {
      id: kit.id('id').primaryKey(),
      agentId: owner.agentId(),
      /** Null if a key file started the session, which creates no token. */
      bearerTokenId: owner.bearerTokenId(),
      sessionHash: kit.text('session_hash').notNull().unique('sessions_hash_unique'),
      userAgent: kit.text('user_agent').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      lastUsedAt: kit.instant('last_used_at').notNull(),
      expiresAt: kit.instant('expires_at').notNull(),
    },
    (t) => [
      kit.index('sessions_by_agent').on(t.agentId, t.id),
      kit.index('sessions_by_token').on(t.bearerTokenId),
    ],
  );

  return { signInLinks, sessions };
}
