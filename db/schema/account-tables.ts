/** The remains of former keys. */
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

  return { formerKeys };
}
