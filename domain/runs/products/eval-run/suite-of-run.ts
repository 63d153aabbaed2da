/** The suite that a run was sold with: the public categories of its version, and the private pack, if it has one. */
import { and, count, eq, sql } from 'drizzle-orm';
import { isCompletedRun } from '#db/schema/index-conditions.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Ctx } from '../../../context.ts';
import { categories, suiteVersion } from '#evals/suite/index.ts';
import type { RunSize } from '#evals/suite/ladder/ladder.ts';
import { findPack, type Pack, packCasesOf } from '#evals/suite/packs/pack.ts';
import type { Category } from '#evals/suite/task.ts';

export interface Suite {
  readonly categories: readonly Category[];
  readonly pack: Pack | null;
}

type SuiteKey = Pick<RunRow, 'suiteVersion' | 'suitePack'>;

/** @returns null if this process no longer has it, so that no case of the run can be generated */
export function suiteOfRun({ rules }: Pick<Ctx, 'rules'>, run: SuiteKey): Suite | null {
  if (run.suiteVersion !== suiteVersion) return null;
  if (run.suitePack === null) return { categories, pack: null };
  const pack = findPack(rules.evalPacks, run.suitePack.hash);
  return pack === null ? null : { categories, pack };
}

/** For a caller that has just checked that the suite exists. */
export function requireSuite(ctx: Pick<Ctx, 'rules'>, run: SuiteKey): Suite {
  const suite = suiteOfRun(ctx, run);
  if (suite === null)
    throw new Error('The suite of the run was not checked before its cases were generated.');
  return suite;
}

export const suiteGoneMessage = 'The hub changed the suite or its private pack while the run was open.';

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
  const cases = own.reduce(
    (sum, { runs, runSize }) => sum + runs * packCasesOf(runSize as RunSize, pack.categories),
    0,
  );
  const kinds = pack.categories.reduce((sum, category) => sum + category.kinds.length, 0);
  return { runs: own.reduce((sum, { runs }) => sum + runs, 0), casesPerKind: cases / kinds };
}
