/** The entries of the leaderboard, and the measured agents that scores are compared with. */
import { sql } from 'drizzle-orm';
import type { RunCost } from '#evals/run-cost.ts';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isProvisionalEntry, isRankedEntry } from './index-conditions.ts';

/** As in a run, where null is `unsaid`. */
export type CodeTool = 'yes' | 'no' | 'unsaid';

export function makeLeaderboardTables(kit: ColumnKit, agents: AgentsTable) {
  /** A row for each agent with a ranked run, by product, suite version and pack. Every ranked run updates it. */
  const leaderboardEntries = kit.table(
    'leaderboard_entries',
    {
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      product: kit.text('product').notNull(),
      suiteVersion: kit.text('suite_version').notNull(),
      /** Empty without a private pack. */
      packHash: kit.text('pack_hash').notNull(),
      /** Whether the agent can run code, as it says. */
      codeTool: kit.text('code_tool').$type<CodeTool>().notNull(),
      /** Host name and port of the newest run's target, in lower case. Null in pull mode. */
      host: kit.text('host'),
      /** Whether that host names the agent in its consent. */
      hostNamed: kit.flag('host_named').notNull().default(false),
      /** Mean of the last three ranked runs, 0 to 100, one decimal. */
      score: kit.real('score').notNull(),
      low: kit.real('low').notNull(),
      high: kit.real('high').notNull(),
      levelValue: kit.real('level_value'),
      levelSe: kit.real('level_se'),
      levelTop: kit.flag('level_top').notNull().default(false),
      /** What the runs of the mean took. */
      cost: kit.json<RunCost>('cost').notNull(),
      /** The number of all ranked runs. */
      runs: kit.integer('runs').notNull(),
      lastRunAt: kit.instant('last_run_at').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.agentId, t.product, t.suiteVersion, t.packHash, t.codeTool] }),
      kit
        .index('leaderboard_entries_ranked')
        .on(t.product, t.suiteVersion, t.packHash, t.codeTool, sql`${t.low} desc`, t.agentId)
        .where(isRankedEntry(t)),
      kit
        .index('leaderboard_entries_provisional')
        .on(t.product, t.suiteVersion, t.packHash, t.codeTool, sql`${t.low} desc`, t.agentId)
        .where(isProvisionalEntry(t)),
      kit
        .index('leaderboard_entries_by_host')
        .on(t.product, t.suiteVersion, t.packHash, t.codeTool, t.host, sql`${t.score} desc`, t.agentId)
        .where(sql`${t.host} is not null`),
    ],
  );
  /** Runs of agents that whoever runs the hub shows beside every score. A removed one stays, as the log of the changes. */
  const runNorms = kit.table(
    'run_norms',
    {
      id: kit.id('id').primaryKey(),
      /** The run may be deleted later; what is shown of it is here. */
      runId: kit.id('run_id').notNull(),
      product: kit.text('product').notNull(),
      suiteVersion: kit.text('suite_version').notNull(),
      /** Empty without a private pack. */
      packHash: kit.text('pack_hash').notNull(),
      /** What was measured, in words. Runs with one label are shown together. */
      label: kit.text('label').notNull(),
      score: kit.real('score').notNull(),
      /** Null: the operator, on the command line. */
      addedBy: kit.id('added_by').references(() => agents.id),
      addedAt: kit.instant('added_at').notNull(),
      removedBy: kit.id('removed_by').references(() => agents.id),
      removedAt: kit.instant('removed_at'),
    },
    (t) => [
      kit
        .uniqueIndex('run_norms_one_current')
        .on(t.runId)
        .where(sql`${t.removedAt} is null`),
      kit
        .index('run_norms_by_board')
        .on(t.product, t.suiteVersion, t.packHash, t.id)
        .where(sql`${t.removedAt} is null`),
      kit.index('run_norms_by_adder').on(t.addedBy),
      kit.index('run_norms_by_remover').on(t.removedBy),
    ],
  );
  return { leaderboardEntries, runNorms };
}

type LeaderboardTables = ReturnType<typeof makeLeaderboardTables>;
export type LeaderboardRow = LeaderboardTables['leaderboardEntries']['$inferSelect'];
export type RunNormRow = LeaderboardTables['runNorms']['$inferSelect'];
