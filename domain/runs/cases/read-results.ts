import { sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { listParameter, prepareOnce } from '#db/prepared.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { Ctx } from '../../context.ts';

/** The result of a run; undefined until it has completed. */
export async function readResult(
  ctx: Pick<Ctx, 'db'>,
  runId: string,
): Promise<StoredSuiteResult | undefined> {
  return (await readResults(ctx, [runId])).get(runId);
}

/** The results of completed runs of cases, by the id of the run. */
export async function readResults(
  { db }: Pick<Ctx, 'db'>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, StoredSuiteResult>> {
  const stored = await selectScorecards(db).execute({ runIds: listParameter(runIds) });
  // `scoreCases` makes them, in the transaction that completes the run.
  return new Map(stored.map(({ runId, scoreJson }) => [runId, scoreJson as unknown as StoredSuiteResult]));
}

const selectScorecards = prepareOnce((db) => {
  const { runScorecards } = db.tables;
  return db.query
    .select()
    .from(runScorecards)
    .where(inList(db, runScorecards.runId, sql.placeholder('runIds')))
    .prepare('read_results');
});
