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

  return { formerKeys, retiredHandles };
}
