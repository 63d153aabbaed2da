/**
 * Adds the prompts and the expected results to the stored cases of a run; they are never stored. What would reveal a
 * case of a private pack is left out until the pack is retired.
 */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { categories, suiteVersion } from '#evals/suite/index.ts';
import { shownPromptCharacters } from '#evals/suite/limits.ts';
import { findPack } from '#evals/suite/packs/pack.ts';
import { makeTask } from '#evals/suite/plan-run.ts';
import { withoutGivenAway } from '#evals/suite/scorecard/render-json.ts';
import type { HubRules } from '../hub-rules.ts';
import type { ShownCase } from '#evals/suite/scorecard/model.ts';
import type { Category, Task, TaskLimits } from '#evals/suite/task.ts';
import { caseOfTrial } from '#evals/suite/trials.ts';
import { joinTurns } from '#evals/suite/turns.ts';

/** Why a case cannot be regenerated, or must not be shown. */
export type Unshown = 'suite gone' | 'pack gone' | 'pack in use';

type RunOfCase = Pick<
  RunRow,
  'id' | 'suiteVersion' | 'suiteSeed' | 'suitePack' | 'maxPromptTokens' | 'repeat'
>;
interface RulesCtx {
  readonly rules: Pick<HubRules, 'evalPacks'>;
}

/** Runs whose prompts are cached, because they are requested several times. */
const rememberedMax = 16;
const remembered = new Map<string, ReadonlyMap<number, ShownCase>>();

export function describeCases(
  ctx: RulesCtx,
  job: RunOfCase,
  stored: readonly StoredCase[],
): readonly ShownCase[] {
  if (stored.length === 0) return [];
  const shown =
    remembered.get(job.id) ?? new Map(stored.map((one) => [one.index, describeCase(ctx, job, one)]));
  remembered.delete(job.id);
  remembered.set(job.id, shown);
  const [oldest] = remembered.keys();
  if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
  return stored.map((one) => shown.get(one.index) ?? describeCase(ctx, job, one));
}

/** The task of a stored case, or why there is none to show. */
export function remakeTask(ctx: RulesCtx, job: RunOfCase, stored: StoredCase): Task | Unshown {
  if (job.suiteVersion !== suiteVersion) return 'suite gone';
  const shownCategories = stored.unseen === true ? packCategories(ctx, job) : categories;
  if (typeof shownCategories === 'string') return shownCategories;
  // The API accepts no other limits, and the planner makes no other levels.
  const limits = { maxPromptTokens: job.maxPromptTokens } as TaskLimits;
  const index = caseOfTrial(stored.index, job.repeat);
  const planned = { ...stored, index, level: stored.level as 1 | 2 | 3 | 4 | 5 };
  return makeTask(shownCategories, job.suiteSeed, planned, limits);
}

function packCategories({ rules }: RulesCtx, { suitePack }: RunOfCase): readonly Category[] | Unshown {
  const pack = suitePack === null ? null : findPack(rules.evalPacks, suitePack.hash);
  if (pack === null) return 'pack gone';
  return pack.retired ? pack.categories : 'pack in use';
}

function describeCase(ctx: RulesCtx, job: RunOfCase, stored: StoredCase): ShownCase {
  const task = remakeTask(ctx, job, stored);
  if (typeof task === 'string') {
    const checks = withoutGivenAway(stored);
    return { ...stored, checks, prompt: null, expected: null };
  }
  const whole = joinTurns(task.turns);
  return {
    ...stored,
    prompt: whole.slice(0, shownPromptCharacters).toWellFormed(),
    prompt_truncated: whole.length > shownPromptCharacters,
    expected: task.expected,
  };
}
