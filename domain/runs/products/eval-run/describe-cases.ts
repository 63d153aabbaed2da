/**
 * Adds the prompts and the expected results to the stored cases of a run; they are never stored. What would reveal a
 * case of a private pack is left out until the pack is retired.
 */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { categories, suiteVersion } from '#evals/suite/index.ts';
import { shownPromptCharacters } from '#evals/suite/limits.ts';
import { takeTurn } from '#runtime/process/loop-turns.ts';
import { findPack } from '#evals/suite/packs/pack.ts';
import { levelNamed } from '#evals/suite/ladder/ladder.ts';
import { makeTask } from '#evals/suite/plan-run.ts';
import { withoutGivenAway } from '#evals/suite/scorecard/render-json.ts';
import type { Ctx } from '../../../context.ts';
import type { HubRules } from '../../../hub-rules.ts';
import { listItems } from '../../store-items.ts';
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

/** The stored cases of an eval run, in the order of their index. */
export async function listCases(ctx: Ctx, runId: string): Promise<StoredCase[]> {
  // The plan of an eval run stores these.
  return (await listItems(ctx, runId)) as StoredCase[];
}

/** Runs whose prompts are cached, because they are requested several times. */
const rememberedMax = 16;
const remembered = new Map<string, ReadonlyMap<number, ShownCase>>();

export async function describeCases(
  ctx: RulesCtx,
  run: RunOfCase,
  stored: readonly StoredCase[],
): Promise<readonly ShownCase[]> {
  if (stored.length === 0) return [];
  const shown = remembered.get(run.id) ?? (await describeAll(ctx, run, stored));
  remembered.delete(run.id);
  remembered.set(run.id, shown);
  const [oldest] = remembered.keys();
  if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
  return stored.map((one) => shown.get(one.index) ?? describeCase(ctx, run, one));
}

async function describeAll(
  ctx: RulesCtx,
  run: RunOfCase,
  stored: readonly StoredCase[],
): Promise<ReadonlyMap<number, ShownCase>> {
  const shown = new Map<number, ShownCase>();
  for (const one of stored) {
    // A task takes up to 50 ms to make.
    await takeTurn();
    shown.set(one.index, describeCase(ctx, run, one));
  }
  return shown;
}

/** What the agent may see of stored cases, without making them again. */
export function showCases(ctx: RulesCtx, run: RunOfCase, stored: readonly StoredCase[]): StoredCase[] {
  return stored.map((one) => showCase(ctx, run, one));
}

function showCase(ctx: RulesCtx, run: RunOfCase, stored: StoredCase): StoredCase {
  const isShown = typeof shownCategories(ctx, run, stored) !== 'string';
  return isShown ? stored : { ...stored, checks: withoutGivenAway(stored) };
}

/** The task of a stored case, or why there is none to show. */
export function remakeTask(ctx: RulesCtx, run: RunOfCase, stored: StoredCase): Task | Unshown {
  const shown = shownCategories(ctx, run, stored);
  if (typeof shown === 'string') return shown;
  // The API accepts no other limits.
  const limits = { maxPromptTokens: run.maxPromptTokens } as TaskLimits;
  const index = caseOfTrial(stored.index, run.repeat);
  const planned = { ...stored, index, level: levelNamed(stored.level) };
  return makeTask(shown, run.suiteSeed, planned, limits);
}

function shownCategories(
  ctx: RulesCtx,
  run: RunOfCase,
  { unseen }: StoredCase,
): readonly Category[] | Unshown {
  if (run.suiteVersion !== suiteVersion) return 'suite gone';
  return unseen === true ? packCategories(ctx, run) : categories;
}

function packCategories({ rules }: RulesCtx, { suitePack }: RunOfCase): readonly Category[] | Unshown {
  const pack = suitePack === null ? null : findPack(rules.evalPacks, suitePack.hash);
  if (pack === null) return 'pack gone';
  return pack.retired ? pack.categories : 'pack in use';
}

function describeCase(ctx: RulesCtx, run: RunOfCase, stored: StoredCase): ShownCase {
  const shown = showCase(ctx, run, stored);
  const task = remakeTask(ctx, run, stored);
  if (typeof task === 'string') return { ...shown, prompt: null, expected: null, accepted: null };
  const whole = joinTurns(task.turns);
  return {
    ...shown,
    prompt: whole.slice(0, shownPromptCharacters).toWellFormed(),
    prompt_truncated: whole.length > shownPromptCharacters,
    expected: task.expected,
    accepted: acceptedReply(task),
  };
}

function acceptedReply({ turns, accepted: [first = []] }: Task): string | readonly string[] {
  return turns.length === 1 ? (first[0] ?? '') : turns.map((_, turn) => first[turn] ?? '');
}
