/** The suite that a run was sold with: the public categories of its version, and the private pack, if it has one. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Ctx } from '../../../context.ts';
import { categories, suiteVersion } from '#evals/suite/index.ts';
import { findPack, type Pack } from '#evals/suite/packs/pack.ts';
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
