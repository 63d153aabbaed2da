/** What operators and maintainers change about the hub while it runs: its settings, its maintainers, and its freeze. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isLastChange } from './index-conditions.ts';

/** The name of the freeze among the settings. Its value is the reason, which may be empty. */
export const freezeSetting = 'freeze';

export function makeHubTables(kit: ColumnKit, agents: AgentsTable) {
  /** Every change. The last one of a name holds; its value wins over the environment and `hub.env`. */
  const settingChanges = kit.table(
    'setting_changes',
    {
      id: kit.id('id').primaryKey(),
      name: kit.text('name').notNull(),
      /** Values are text, in the form of the environment. Null: none was stored. */
      before: kit.text('before'),
      /** Null: the environment or `hub.env` decides again, or the freeze has ended. */
      after: kit.text('after'),
      /** Null: the operator, on the command line. */
      actorId: kit.id('actor_id').references(() => agents.id),
      createdAt: kit.instant('created_at').notNull(),
      /** When the next change of the name replaced it; null of the last one. */
      replacedAt: kit.instant('replaced_at'),
    },
    (t) => [
      kit.uniqueIndex('setting_changes_last').on(t.name).where(isLastChange(t)),
      kit.index('setting_changes_by_actor').on(t.actorId),
    ],
  );

  return { settingChanges };
}
