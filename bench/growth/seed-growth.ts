/**
 * Fills a store with a number of agents, each with an account, a bearer token, a finished run, a thread with a reply, a seat
 * and a work order, and with as many mails in the inbox: in agreement with each other, as years of a busy hub leave them.
 */
import type { DatabaseSetting } from '#db/database.ts';
import { format } from '../table.ts';
import { agentTables, ledgerTables, runTables } from './agent-tables.ts';
import { eventTables, forumTables, otherTables } from './community-tables.ts';
import { openRowSeries } from './row-series.ts';

const makers = [agentTables, ledgerTables, runTables, forumTables, eventTables, otherTables] as const;

/** @param tell hears of every table that is filled */
export async function seedGrowth(
  setting: DatabaseSetting,
  agents: number,
  tell: (progress: string) => void,
): Promise<void> {
  const series = openRowSeries(setting);
  try {
    for (const [table, rows, columns] of makers.flatMap((make) => make(series.words, agents))) {
      const startedAt = performance.now();
      await series.insert(table, rows, columns);
      tell(`${format(rows)} ${table} in ${format((performance.now() - startedAt) / 1_000, 1)} s`);
    }
    await series.settle();
  } finally {
    await series.close();
  }
}
