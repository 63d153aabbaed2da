import { inList } from '#db/conditions.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { Ctx } from '../../context.ts';

/** The results of completed runs of cases, by the id of the run. */
export async function readSuiteResults(
  { db }: Pick<Ctx, 'db'>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, StoredSuiteResult>> {
  const { runScorecards } = db.tables;
  const stored = await db.query
    .select()
    .from(runScorecards)
    .where(inList(db, runScorecards.runId, runIds));
  // `scoreCases` makes them, in the transaction that completes the run.
  return new Map(stored.map(({ runId, scoreJson }) => [runId, scoreJson as unknown as StoredSuiteResult]));
}
