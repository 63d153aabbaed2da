/** The scorecard of a completed eval run, made from what is stored with it. */
import { eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ScorecardModel } from '#evals/scorecard/model.ts';
import { evalRunScorecard, type ShownCase } from '#evals/suite/scorecard/model.ts';
import { isScoreJson, type ScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { Ctx } from '../../../context.ts';
import { describeCases, listCases } from './describe-cases.ts';

export interface EvalScorecard {
  readonly scoreJson: ScoreJson & Record<string, unknown>;
  readonly model: ScorecardModel;
}

/** @returns null until the run has completed */
export async function readScorecard(
  { db }: Ctx,
  run: RunRow,
  cases: readonly ShownCase[],
): Promise<EvalScorecard | null> {
  const { runScorecards } = db.tables;
  const [stored] = await db.query.select().from(runScorecards).where(eq(runScorecards.runId, run.id));
  if (stored === undefined || !isScoreJson(stored.scoreJson)) return null;
  return { scoreJson: stored.scoreJson, model: evalRunScorecard(stored.scoreJson, cases) };
}

/** @param withTexts false for no prompts and replies; then checks keep only their names */
export async function evalScorecard(
  ctx: Ctx,
  run: RunRow,
  withTexts: boolean,
): Promise<ScorecardModel | null> {
  const stored = await listCases(ctx, run.id);
  const cases = withTexts ? await describeCases(run, stored) : stored.map(withoutTexts);
  return (await readScorecard(ctx, run, cases))?.model ?? null;
}

/** Messages of checks quote replies and expected results. */
function withoutTexts({ checks, error_response: _response, ...stored }: StoredCase): ShownCase {
  return {
    ...stored,
    prompt: null,
    expected: null,
    accepted: null,
    found: null,
    response_text: null,
    checks: checks.map((check) => ({ ...check, message: '' })),
  };
}
