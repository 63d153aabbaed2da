/** The plan of an eval run: its cases, made from its seed and the verdicts, and what they come to. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { latencySummary } from '#evals/latency-summary.ts';
import type { RunSize } from '#evals/suite/ladder/ladder.ts';
import { categories, suiteVersion } from '#evals/suite/index.ts';
import { firstStageOf, makeTask, type PlannedCase, planRun } from '#evals/suite/plan-run.ts';
import { estimateRun } from '#evals/suite/score-ladder.ts';
import { renderJson } from '#evals/suite/scorecard/render-json.ts';
import type { ScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import type { Task, TaskGrade, TaskLimits } from '#evals/suite/task.ts';
import type { TokenUsage } from '#evals/token-usage.ts';
import { caseOfTrial, meanShares, meansOfTrials, summarizeTrials, withTrials } from '#evals/suite/trials.ts';
import { joinTurns } from '#evals/suite/turns.ts';
import { defaultPromptTokens, promptBytesOf } from '../../../targets/prepare-probe.ts';
import { turnsWorld } from '#evals/worlds/turns.ts';
import { invariant } from '../../../errors.ts';
import { redacted } from '../../../targets/redact-secrets.ts';
import type { CaseKey } from '../../grading/graders.ts';
import type { CompletedOutcome } from '../../run-outcome.ts';
import {
  type AskedItem,
  indexOfNumberedId,
  numberedId,
  type RecordedItem,
  type RunPlan,
  storable,
  storedReply,
} from '../../run-plan.ts';

/** The plan of an eval run, which makes the task of each of its cases. */
export interface CasePlan extends RunPlan<PlannedCase, StoredCase> {
  readonly key: CaseKey;
  planned(recorded: readonly RecordedItem[]): readonly PlannedCase[];
  taskOf(planned: PlannedCase): Task;
}

type RunOf = Pick<RunRow, 'id' | 'mode' | 'suiteSeed' | 'runSize' | 'maxPromptTokens' | 'repeat' | 'levels'>;

/**
 * The tasks of the cases that this process has just presented, by the case. A runner grades the reply of a fast target
 * without making the task again.
 */
const presented = new Map<string, Task>();
/** Of all their prompts. A task takes a few times the memory of its prompts. */
const presentedCharactersMax = 4_000_000;
let presentedCharacters = 0;

function keepPresented(id: string, task: Task): void {
  takePresented(id);
  presented.set(id, task);
  presentedCharacters += charactersOf(task);
  for (const oldest of presented.keys()) {
    if (presentedCharacters <= presentedCharactersMax) return;
    takePresented(oldest);
  }
}

function takePresented(id: string): Task | undefined {
  const task = presented.get(id);
  if (task === undefined) return undefined;
  presented.delete(id);
  presentedCharacters -= charactersOf(task);
  return task;
}

function charactersOf({ turns }: Task): number {
  return turns.reduce((total, { length }) => total + length, 0);
}

/** Whether this version can no longer make the cases of a run. */
export function isSuiteGone(run: Pick<RunRow, 'suiteVersion'>): boolean {
  return run.suiteVersion !== suiteVersion;
}

export function planCases(run: RunOf): CasePlan {
  // The API accepts no other sizes and limits.
  const runSize = (run.runSize / run.repeat) as RunSize;
  const limits = { maxPromptTokens: run.maxPromptTokens } as TaskLimits;
  const { suiteSeed, maxPromptTokens, repeat, levels } = run;
  const key = { runId: run.id, suiteSeed, runSize: run.runSize, maxPromptTokens, repeat };
  const taskOf = (planned: PlannedCase): Task =>
    makeTask(categories, suiteSeed, { ...planned, index: caseOfTrial(planned.index, repeat) }, limits);
  const idOf = ({ index }: PlannedCase) => numberedId(run.id, index);
  const presentedAs = (planned: PlannedCase) => `${idOf(planned)} ${planned.kind} ${planned.level}`;
  return {
    key,
    total: run.runSize,
    firstStage: firstStageOf(runSize) * repeat,
    isAdaptive: true,
    longestPromptBytes: () => promptBytesOf(maxPromptTokens ?? defaultPromptTokens),
    planned: (recorded) => {
      const shares = meanShares(recorded, repeat);
      return withTrials(planRun(categories, { seed: suiteSeed, runSize }, shares, levels), repeat);
    },
    taskOf,
    idOf,
    indexOf: (id) => indexOfNumberedId(run.id, id),
    present: (planned) => {
      const task = taskOf(planned);
      // Those of pull runs are presented in one process and graded in another.
      if (run.mode === 'push') keepPresented(presentedAs(planned), task);
      return { system: null, world: turnsWorld(task.turns) };
    },
    grade: async (asked, graders) => {
      const { claimant, item: planned } = asked;
      const replies = asked.steps.map(({ text }) => text ?? '');
      const made = takePresented(presentedAs(planned));
      const task = () => made ?? taskOf(planned);
      const grade = await graders.gradeCase(claimant, {
        key,
        planned,
        replies,
        task,
        isMade: made !== undefined,
      });
      invariant(grade !== null, 'A case with a reply to every turn is graded.');
      return gradedCase(asked, replies, grade);
    },
    inError: caseInError,
    // The scorecard quotes the replies.
    scored: (stored) => stored,
    score: (end, recorded, missing) => completedOutcome(end, recorded, missing),
  };
}

const notQuoted = 'The reply repeats a secret header of its target, so it is not quoted.';

function gradedCase(
  { item, call, redact = (text) => text }: AskedItem<PlannedCase>,
  replies: readonly string[],
  grade: TaskGrade,
): StoredCase {
  const shown = replies.map(redact);
  // Checks quote the reply, perhaps only a part of a secret.
  const hasSecret = shown.some((text, index) => text !== replies[index]);
  return {
    ...item,
    status: grade.passed ? 'passed' : 'failed',
    score: grade.score,
    checks: grade.checks.map((check) => ({
      ...check,
      message: hasSecret ? notQuoted : storable(check.message),
    })),
    response_text: storedReply(joinTurns(shown)),
    error_code: null,
    attempts: call.attempts,
    latency_ms: Math.round(call.latencyMs),
    found: grade.found === null ? null : hasSecret ? redacted : storable(grade.found),
    ...(grade.rightValueWrongWrapping === true ? { right_value_wrong_wrapping: true } : {}),
    ...(grade.formKept === undefined ? {} : { form_kept: grade.formKept }),
    ...(call.usage === null ? {} : { usage: call.usage }),
  };
}

export function caseInError(
  planned: PlannedCase,
  code: string,
  attempts: number,
  usage: TokenUsage | null = null,
): StoredCase {
  return {
    ...planned,
    status: 'error',
    score: 0,
    checks: [],
    response_text: null,
    error_code: code,
    attempts,
    latency_ms: null,
    found: null,
    ...(usage === null ? {} : { usage }),
  };
}

export interface EndedRun {
  readonly run: RunRow;
  readonly finishedAt: Date;
}

/**
 * Scores a run.
 *
 * @param missing cases that were never asked or answered, which are stored when the run is settled
 */
export function completedOutcome(
  { run, finishedAt }: EndedRun,
  recorded: readonly StoredCase[],
  missing: readonly StoredCase[] = [],
): CompletedOutcome & { readonly scoreJson: ScoreJson } {
  const results = [...recorded, ...missing];
  const estimate = estimateRun(meansOfTrials(results, run.repeat));
  const repeats = summarizeTrials(results, run.repeat);
  const startedAt = run.startedAt ?? run.createdAt;
  const scoreJson = renderJson({ run, startedAt, finishedAt, estimate, results, repeats });
  return {
    kind: 'completed',
    score: scoreJson.score,
    latency: latencySummary(results),
    estimate: {
      level: scoreJson.level,
      interval: scoreJson.interval,
      ladder: {
        ability: estimate.ability,
        se: estimate.se,
        score_se: estimate.scoreSe,
        range: estimate.range,
      },
      ...(repeats === null ? {} : { repeats }),
    },
    scoreJson: { ...scoreJson },
    missing,
  };
}
