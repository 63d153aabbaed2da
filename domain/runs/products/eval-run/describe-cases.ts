/** Adds the prompts and the expected results to the stored cases of a run; they are never stored. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { categories } from '#evals/suite/index.ts';
import { shownPromptCharacters } from '#evals/limits.ts';
import { takeTurn } from '#runtime/process/loop-turns.ts';
import { levelNamed } from '#evals/suite/ladder/ladder.ts';
import { makeTask } from '#evals/suite/plan-run.ts';
import type { Ctx } from '../../../context.ts';
import { listItems } from '../../store-items.ts';
import type { ShownCase } from '#evals/suite/scorecard/model.ts';
import type { Task, TaskLimits } from '#evals/suite/task.ts';
import { caseOfTrial } from '#evals/suite/trials.ts';
import { isSuiteGone } from './plan-cases.ts';
import { joinTurns } from '#evals/suite/turns.ts';

type RunOfCase = Pick<RunRow, 'id' | 'suiteVersion' | 'suiteSeed' | 'maxPromptTokens' | 'repeat'>;

/** The stored cases of an eval run, in the order of their index. */
export async function listCases(ctx: Ctx, runId: string): Promise<StoredCase[]> {
  // The plan of an eval run stores these.
  return (await listItems(ctx, runId)) as StoredCase[];
}

/** Runs whose prompts are cached, because they are requested several times. */
const rememberedMax = 16;
const remembered = new Map<string, ReadonlyMap<number, ShownCase>>();

export async function describeCases(
  run: RunOfCase,
  stored: readonly StoredCase[],
): Promise<readonly ShownCase[]> {
  if (stored.length === 0) return [];
  const shown = remembered.get(run.id) ?? (await describeAll(run, stored));
  remembered.delete(run.id);
  remembered.set(run.id, shown);
  const [oldest] = remembered.keys();
  if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
  return stored.map((one) => shown.get(one.index) ?? describeCase(run, one));
}

async function describeAll(
  run: RunOfCase,
  stored: readonly StoredCase[],
): Promise<ReadonlyMap<number, ShownCase>> {
  const shown = new Map<number, ShownCase>();
  for (const one of stored) {
    // A task takes up to 50 ms to make.
    await takeTurn();
    shown.set(one.index, describeCase(run, one));
  }
  return shown;
}

/** The task of a stored case; null if this version cannot make it any more. */
export function remakeTask(run: RunOfCase, stored: StoredCase): Task | null {
  if (isSuiteGone(run)) return null;
  // The API accepts no other limits.
  const limits = { maxPromptTokens: run.maxPromptTokens } as TaskLimits;
  const index = caseOfTrial(stored.index, run.repeat);
  const planned = { ...stored, index, level: levelNamed(stored.level) };
  return makeTask(categories, run.suiteSeed, planned, limits);
}

function describeCase(run: RunOfCase, stored: StoredCase): ShownCase {
  const task = remakeTask(run, stored);
  if (task === null) return { ...stored, prompt: null, expected: null, accepted: null };
  const whole = joinTurns(task.turns);
  return {
    ...stored,
    prompt: whole.slice(0, shownPromptCharacters).toWellFormed(),
    prompt_truncated: whole.length > shownPromptCharacters,
    expected: task.expected,
    accepted: acceptedReply(task),
  };
}

function acceptedReply({ turns, accepted: [first = []] }: Task): string | readonly string[] {
  return turns.length === 1 ? (first[0] ?? '') : turns.map((_, turn) => first[turn] ?? '');
}
