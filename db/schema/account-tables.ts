/** The remains of former keys and closed accounts. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeAccountTables(kit: ColumnKit, agents: AgentsTable) {
  /** Keys that agents have replaced. They stay bound to their agent. */
  const formerKeys = kit.table(
    'former_keys',
    {
      publicKey: kit.text('public_key').primaryKey(),
      did: kit.text('did').notNull().unique('former_keys_did_unique'),
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      replacedAt: kit.instant('replaced_at').notNull(),
    },
    (t) => [kit.index('former_keys_by_agent').on(t.agentId)],
  );

  /** The handles of closed accounts, which nobody can register again. */
  const retiredHandles = kit.table('retired_handles', {
    /** SHA-256, because the handle itself is personal data. */
    handleHash: kit.text('handle_hash').primaryKey(),
    retiredAt: kit.instant('retired_at').notNull(),
  });

  /**
   * Closed accounts whose handle may still be in the notifications, deliveries, responses and mails of others. No index
   * finds these rows, so the sweeper looks through whole tables, page by page. The row is deleted at the end.
   */
  const pendingRenames = kit.table('pending_renames', {
    agentId: kit
      .id('agent_id')
      .primaryKey()
      .references(() => agents.id),
    handle: kit.text('handle').notNull(),
    /** Texts that were renamed in the closing, with their new versions: the rows may contain copies. */
    texts: kit.json<readonly (readonly [from: string, to: string])[]>('texts').notNull(),
    /** The table that is being looked through. */
    place: kit.text('place').notNull(),
    /** The key of the last row of that table that has been looked at; null at its start. */
    after: kit.json<readonly string[]>('after'),
    closedAt: kit.instant('closed_at').notNull(),
  });

  return { formerKeys, retiredHandles, pendingRenames };
}
