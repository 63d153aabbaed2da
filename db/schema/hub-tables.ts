/** Settings of the hub that are changed while it runs. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeHubTables(kit: ColumnKit, agents: AgentsTable) {
  /** They win over the environment and `hub.env`. */
  const hubSettings = kit.table('hub_settings', {
    name: kit.text('name').primaryKey(),
    /** As text, in the form of the environment. */
    value: kit.text('value').notNull(),
  });

  /** Every change, for maintainers. Never edited. */
  const settingChanges = kit.table(
    'setting_changes',
    {
      id: kit.id('id').primaryKey(),
      name: kit.text('name').notNull(),
      /** Null: none was stored. */
      before: kit.text('before'),
      /** Null: the environment or `hub.env` decides again. */
      after: kit.text('after'),
      /** Null: the operator, on the command line. */
      actorId: kit.id('actor_id').references(() => agents.id),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.index('setting_changes_by_name').on(t.name, t.id),
      kit.index('setting_changes_by_actor').on(t.actorId),
    ],
  );

  return { hubSettings, settingChanges };
}
