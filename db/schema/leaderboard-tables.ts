/** The entries of the leaderboard. */
import { isNotNull, sql } from 'drizzle-orm';
import type { RunCost } from '#evals/run-figures.ts';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isProvisionalEntry, isRankedEntry } from './index-conditions.ts';

export function makeLeaderboardTables(kit: ColumnKit, agents: AgentsTable) {
  /** A row for each agent with a ranked run, by product and suite version. Every ranked run updates it. */
  const leaderboardEntries = kit.table(
    'leaderboard_entries',
    {
      agentId: kit.reference('agent_id', () => agents.id),
      product: kit.text('product').notNull(),
      suiteVersion: kit.text('suite_version').notNull(),
      /** The id of the version of a published suite; empty for a suite of the hub. */
      suiteVersionId: kit.text('suite_version_id').notNull(),
      /** Host name and port of the newest run's target, in lower case. Null in pull mode. */
      host: kit.text('host'),
      /** Whether that host names the agent in its consent. */
      hostNamed: kit.flag('host_named').notNull().default(false),
      /** Mean of the last three ranked runs, 0 to 100. */
      score: kit.real('score').notNull(),
      low: kit.real('low').notNull(),
      high: kit.real('high').notNull(),
      /** What the runs of the mean took. */
      cost: kit.json<RunCost>('cost').notNull(),
      /** The number of all ranked runs. */
      runs: kit.integer('runs').notNull(),
      lastRunAt: kit.instant('last_run_at').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.agentId, t.product, t.suiteVersion, t.suiteVersionId] }),
      kit
        .index('leaderboard_entries_ranked')
        .on(t.product, t.suiteVersion, t.suiteVersionId, sql`${t.low} desc`, t.agentId)
        .where(isRankedEntry(t)),
      kit
        .index('leaderboard_entries_provisional')
        .on(t.product, t.suiteVersion, t.suiteVersionId, sql`${t.low} desc`, t.agentId)
        .where(isProvisionalEntry(t)),
      kit
        .index('leaderboard_entries_by_host')
        .on(t.product, t.suiteVersion, t.suiteVersionId, t.host, sql`${t.score} desc`, t.agentId)
        .where(isNotNull(t.host)),
    ],
  );
  return { leaderboardEntries };
}

type LeaderboardTables = ReturnType<typeof makeLeaderboardTables>;
export type LeaderboardRow = LeaderboardTables['leaderboardEntries']['$inferSelect'];
