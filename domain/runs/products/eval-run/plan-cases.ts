/** The plan of an eval run: cases of the public suite and of its private pack, made from its seed and the verdicts. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { RunSize } from '#evals/suite/ladder/ladder.ts';
import { firstStageOf, makeTask, type PlannedCase, planRun } from '#evals/suite/plan-run.ts';
import type { Task, TaskGrade, TaskLimits } from '#evals/suite/task.ts';
import type { TokenUsage } from '#evals/suite/token-usage.ts';
import { caseOfTrial, meanShares, withTrials } from '#evals/suite/trials.ts';
import { joinTurns } from '#evals/suite/turns.ts';
import { redacted } from '../../../targets/redact-secrets.ts';
import type { CaseKey } from '../../grading/graders.ts';
import {
  type AskedItem,
  indexOfNumberedId,
  numberedId,
  type RunPlan,
  storable,
  storedReply,
} from '../../run-plan.ts';
import { completedOutcome } from './completed-outcome.ts';
import type { Suite } from './suite-of-run.ts';

/** The plan of an eval run, which makes the task of each of its cases. */
export interface CasePlan extends RunPlan<PlannedCase, StoredCase> {
  readonly key: CaseKey;
  taskOf(planned: PlannedCase): Task;
}

type RunOf = Pick<RunRow, 'id' | 'suiteSeed' | 'runSize' | 'maxPromptTokens' | 'repeat' | 'levels'>;

export function planCases({ categories, pack }: Suite, run: RunOf): CasePlan {
  const unseen = pack?.categories ?? [];
  const all = [...categories, ...unseen];
  // The API accepts no other sizes and limits.
  const runSize = (run.runSize / run.repeat) as RunSize;
  const limits = { maxPromptTokens: run.maxPromptTokens } as TaskLimits;
  const { suiteSeed, maxPromptTokens, repeat, levels } = run;
  const packHash = pack?.hash ?? null;
  const key = { runId: run.id, suiteSeed, runSize: run.runSize, maxPromptTokens, repeat, packHash };
  const taskOf = (planned: PlannedCase): Task =>
    makeTask(all, suiteSeed, { ...planned, index: caseOfTrial(planned.index, repeat) }, limits);
  return {
    key,
    total: run.runSize,
    firstStage: firstStageOf(runSize) * repeat,
    planned: (recorded) => {
      const shares = meanShares(recorded, repeat);
      return withTrials(planRun(categories, { seed: suiteSeed, runSize }, shares, unseen, levels), repeat);
    },
    taskOf,
    idOf: ({ index }) => numberedId(run.id, index),
    indexOf: (id) => indexOfNumberedId(run.id, id),
    present: (planned) => ({
      system: null,
      tools: [],
      turns: taskOf(planned).turns.map((content) => [{ role: 'user', content }]),
    }),
    grade: async (asked, graders) => {
      const { agentId, item: planned } = asked;
      const replies = asked.replies.map(({ text }) => text);
      const grade = await graders.gradeCase(agentId, { key, planned, replies, task: () => taskOf(planned) });
      return grade === null ? null : gradedCase(asked, replies, grade);
    },
    inError: caseInError,
    score: (end, recorded, missing) => completedOutcome({ ...end, pack }, recorded, missing),
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
