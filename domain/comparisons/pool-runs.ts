/** Adds earlier runs to the two of a comparison, so that it has more cases. */
import { and, type Column, eq, gte, lte, type SQL } from 'drizzle-orm';
import { isCompletedRun } from '#db/schema/index-conditions.ts';
import { pipelined } from '#db/pipelined.ts';
import { type ComparableRun, isSamePack, type Pair } from './comparable-runs.ts';

/** At most this many runs are added to each side, so that a comparison reads a bounded number of cases. */
export const pooledRunsMax = 4;
/** The number of rows to read for them; runs of another pack are skipped. */
export const pooledRunsReadMax = 20;

/**
 * Finds the earlier runs to add to each of two runs: those before the older one, and those between the two.
 *
 * @param readEarlier reads up to `pooledRunsReadMax` rows for which `isEarlier` holds, newest first
 */
export async function poolRuns<Run extends ComparableRun>(
  [one, other]: Pair<Run>,
  readEarlier: (run: Run, since: Run | null) => Promise<readonly Run[]>,
): Promise<Pair<readonly Run[]>> {
  if (one.id === other.id) return [[], []];
  const find = async (run: Run, since: Run | null): Promise<readonly Run[]> =>
    (await readEarlier(run, since))
      .filter((earlier) => isSamePack(earlier, run) && endedBefore(earlier, run))
      .filter((earlier) => since === null || endedBefore(since, earlier))
      .slice(0, pooledRunsMax);
  const oneIsOlder = endedBefore(one, other);
  return pipelined(find(one, oneIsOlder ? null : other), find(other, oneIsOlder ? one : null));
}

/** Ids are ordered like the redemptions. */
function endedBefore(one: ComparableRun, other: ComparableRun): boolean {
  const [first, second] = [one.finishedAt?.getTime() ?? 0, other.finishedAt?.getTime() ?? 0];
  return first === second ? one.id < other.id : first < second;
}

interface RunTable {
  readonly agentId: Column;
  readonly product: Column;
  readonly status: Column;
  readonly finishedAt: Column;
  readonly suiteVersion: Column;
}

/** A completed run of the same agent and version that ended no later than `run` and not before `since`. */
export function isEarlier(runs: RunTable, run: ComparableRun, since: ComparableRun | null): SQL | undefined {
  return and(
    eq(runs.agentId, run.agentId),
    isCompletedRun(runs),
    lte(runs.finishedAt, run.finishedAt),
    since === null ? undefined : gte(runs.finishedAt, since.finishedAt),
    eq(runs.product, run.product),
    eq(runs.suiteVersion, run.suiteVersion),
  );
}
