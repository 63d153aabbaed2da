/** The runs that agents share. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeSharingTables(kit: ColumnKit, agents: AgentsTable) {
  /** One row for each run that anybody with its link may see. Revoking a share deletes the row. */
  const sharedRuns = kit.table(
    'shared_runs',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      runId: kit.id('run_id').notNull().unique('shared_runs_run_unique'),
      /** Whether the page shows prompts and replies. */
      prompts: kit.flag('prompts').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      /** When a maintainer hid the scorecard. */
      hiddenAt: kit.instant('hidden_at'),
    },
    (t) => [kit.index('shared_runs_by_agent').on(t.agentId, t.id)],
  );

  return { sharedRuns };
}
