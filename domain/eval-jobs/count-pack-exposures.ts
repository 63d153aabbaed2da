import { and, count, eq, sql } from 'drizzle-orm';
import { isCompletedRun } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../context.ts';
import type { RunSize } from '#evals/suite/ladder/ladder.ts';
import { type Pack, packCasesOf } from '#evals/suite/packs/pack.ts';

export interface PackExposure {
  /** Completed runs with cases of the pack. */
  readonly runs: number;
  /** How often each of its kinds was asked on average, because the kinds of a category take turns. */
  readonly casesPerKind: number;
}

/** Counts how often agents have seen each private pack. Reads every completed run with one. */
export async function countPackExposures({ db }: Ctx, pack: Pack): Promise<PackExposure> {
  const { runs } = db.tables;
  const own = await db.query
    .select({ runSize: runs.runSize, runs: count() })
    .from(runs)
    .where(and(isCompletedRun(runs), eq(sql`${runs.suitePack} ->> 'hash'`, pack.hash)))
    .groupBy(runs.runSize);
  // The API accepts no other sizes.
  const cases = own.reduce((sum, { runs, runSize }) => sum + runs * packCasesOf(runSize as RunSize), 0);
  const kinds = pack.categories.reduce((sum, category) => sum + category.kinds.length, 0);
  return { runs: own.reduce((sum, { runs }) => sum + runs, 0), casesPerKind: cases / kinds };
}
