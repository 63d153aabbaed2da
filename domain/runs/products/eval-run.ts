/** The product `eval-run`: the health check of the hub, whose later cases depend on the results before them. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { findCauses } from '#evals/findings/find-causes.ts';
import type { Observation, SeenCall } from '#evals/findings/observation.ts';
import type { Finding } from '#evals/own-suite/shown-run.ts';
import type { HealthCase } from '#evals/health/health-case.ts';
import {
  checkName,
  type CheckSize,
  checkSizes,
  checkVersion,
  type HealthCheck,
  healthCheckSize,
  planHealthCheck,
} from '#evals/health/health-check.ts';
import { orderTools, ordersWorld } from '#evals/health/tools/orders.ts';
import type { ToolTask } from '#evals/health/tools/tasks.ts';
import type { SuiteCase } from '#evals/own-suite/document.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { StoredSuiteResult, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { marksOf, passesOf } from '#evals/own-suite/trial-marks.ts';
import { replay, type Step, turnsWorld, type World } from '#evals/worlds/world.ts';
import { invariant } from '../../errors.ts';
import { toolProtocols } from '../../targets/protocols.ts';
import {
  failedIfUngraded,
  gradedTrial,
  observe,
  storedCalls,
  storedReply,
  trialInError,
} from '../cases/trials.ts';
import type { Product } from '../product.ts';
import { maxPromptTokensDefault } from '../redemption-input.ts';
import type {
  AskedCases,
  AskedItem,
  CasesOfProduct,
  PlannedTrial,
  RecordedItem,
  RunPlan,
} from '../run-plan.ts';

interface PlannedCheck extends PlannedTrial {
  readonly asked: HealthCase;
}

type CheckPlan = RunPlan<PlannedCheck>;
export type CheckedRun = Pick<
  RunRow,
  'id' | 'mode' | 'suiteSeed' | 'suiteVersion' | 'runSize' | 'maxPromptTokens' | 'trials'
>;
type Marks = StoredSuiteResult['marks'];

/** The first cases are one word each: they show whether the target works at all. */
export const firstStage = 4;
/** Findings read replies that are longer than those of other cases. */
const storedCharactersMax = 8_000;
/** Of the text beside tool calls. */
const keptTextMax = 1_000;

/** Whether this version can no longer make the cases of a run. */
function isGone({ suiteVersion }: Pick<RunRow, 'suiteVersion'>): boolean {
  return suiteVersion !== checkVersion;
}

function checkOf(run: CheckedRun): HealthCheck {
  return {
    seed: run.suiteSeed,
    maxPromptTokens: run.maxPromptTokens ?? 0,
    ...shapeOf(run),
    // An agent that fetches its cases decides itself which of them it answers at once.
    inARow: run.mode === 'push',
  };
}

type Sized = Pick<RunRow, 'runSize' | 'trials' | 'maxPromptTokens'>;

/** Each size has its own number of cases, with and without tools. */
function shapeOf({ runSize, trials, maxPromptTokens }: Sized): Pick<HealthCheck, 'size' | 'tools'> {
  const shapes = checkSizes.flatMap((size) => [false, true].map((tools) => ({ size, tools })));
  const found = shapes.find(
    (shape) => healthCheckSize({ ...shape, maxPromptTokens: maxPromptTokens ?? 0 }) * trials === runSize,
  );
  return found ?? { size: 'standard', tools: false };
}

export function checkSizeOf(run: Sized): CheckSize {
  return shapeOf(run).size;
}

/** @returns null if this version can no longer make the cases */
function planCheck(run: CheckedRun): CheckPlan | null {
  if (isGone(run)) return null;
  const { trials } = run;
  return {
    total: run.runSize,
    firstStage: firstStage * trials,
    isAdaptive: true,
    planned: (recorded) => planTrials(run, recorded),
    idOf: ({ index }) => numberedId(run.id, index),
    indexOf: (id) => indexOfNumberedId(run.id, id),
    // Prompts grow: the one that is too long is a finding, and no reason to ask nothing.
    longestPromptBytes: () => 0,
    present: ({ asked }) => ({ system: asked.system ?? null, world: worldOf(asked) }),
    grade: async (answered, graders) => {
      const { claimant, item, steps } = answered;
      const last = steps.at(-1);
      // A text beside calls is no report.
      const text = last === undefined || (hasOffice(item) && last.calls.length > 0) ? '' : (last.text ?? '');
      const { id, expect } = item.asked;
      const reply = { text, tool_calls: [], latencyMs: null };
      const task = { suiteCase: { id, expect }, reply, findsChanges: true, isOfHub: true } as const;
      const { grade, undone } = await graders.grade(claimant, task);
      const turns = steps.map((step) => ({ ...reply, text: step.text ?? '' }));
      const kept = hasOffice(item) ? reply : { ...reply, turns };
      const stored = gradedTrial(answered, kept, failedIfUngraded(grade), storedCharactersMax);
      if (item.asked.task !== undefined) return withOffice(stored, item.asked.task, answered);
      return undone.length === 0 ? stored : { ...stored, undone };
    },
    inError: trialInError,
    // Findings read the last replies.
    scored: ({ earlier: _earlier, ...stored }) => stored,
    casesOf: (trials) => askedOf(run, Object.fromEntries(marksOf(trials))).cases,
    findings: (trials) => findingsOf(run, trials),
  };
}

const separator = '.';

/** The id of an item, as its case has none of its own. Unique in the hub. */
function numberedId(runId: string, index: number): string {
  return `${runId}${separator}${index}`;
}

function indexOfNumberedId(runId: string, id: string): number | null {
  const index = /^\d{1,3}$/.exec(id.slice(runId.length + 1))?.[0];
  return index !== undefined && id === numberedId(runId, Number(index)) ? Number(index) : null;
}

function worldOf({ task, turns }: HealthCase): World<unknown> {
  return task === undefined ? turnsWorld(turns) : ordersWorld(task);
}

function hasOffice({ asked }: PlannedCheck): boolean {
  return asked.task !== undefined;
}

/** What findings read again, without the secrets of the target. */
function keptSteps({ steps, redact = (text) => text }: AskedItem<PlannedCheck>): readonly Step[] {
  return steps.map(({ text, calls }) => ({
    text: text === null ? null : storedReply(redact(text), keptTextMax),
    calls: storedCalls(redact, calls).map((call, at) => ({ ...call, id: `${at + 1}` })),
  }));
}

/** A task with tools passes if the office is as it should be, too. */
function withOffice(stored: StoredTrial, task: ToolTask, answered: AskedItem<PlannedCheck>): StoredTrial {
  const isDone = task.isDone(replay(ordersWorld(task), answered.steps).state);
  const steps = keptSteps(answered);
  const office = {
    name: 'office',
    passed: isDone,
    expected: 'the orders are as the task says',
    found: isDone ? 'they are' : 'they are not, or a write was repeated',
  };
  const graders = [...stored.graders, office];
  if (isDone) return { ...stored, graders, steps };
  return { ...stored, status: 'failed', score: 0, graders, steps };
}

/** The calls of each step, and what came of them. */
function callsOf(task: ToolTask, steps: readonly Step[]): readonly SeenCall[] {
  const world = ordersWorld(task);
  return steps.flatMap((_, step) => {
    const [before, after] = [steps.slice(0, step), steps.slice(0, step + 1)].map((part) =>
      replay(world, part),
    );
    const made = after?.state.calls.slice(before?.state.calls.length ?? 0) ?? [];
    return made.map((record) => ({ ...record, step }));
  });
}

/** Trials of a case are next to each other: the case at place p has the indexes p * trials + 0, 1, 2 … */
function planTrials(run: CheckedRun, recorded: readonly RecordedItem[]): readonly PlannedCheck[] {
  const { trials } = run;
  const results = Map.groupBy(recorded, ({ index }) => Math.floor(index / trials));
  const cases = planHealthCheck(checkOf(run), (place) => {
    const own = results.get(place) ?? [];
    return hasPassed(
      own.map(({ score }) => score >= 1),
      trials,
    );
  });
  return cases.flatMap((asked, place) => {
    const suiteCase = suiteCaseOf(asked);
    return indexesOf(place, trials).map((index, at) => ({ index, trial: at + 1, asked, suiteCase }));
  });
}

/** @returns undefined until all trials have a result */
function hasPassed(passes: readonly boolean[], trials: number): boolean | undefined {
  return passes.length < trials ? undefined : passes.filter(Boolean).length >= trials / 2;
}

function indexesOf(place: number, trials: number): readonly number[] {
  return Array.from({ length: trials }, (_, at) => place * trials + at);
}

function suiteCaseOf({ id, part, topic, system, turns, expect, task }: HealthCase): SuiteCase {
  // The others follow the replies.
  const messages = turns.slice(0, 1).map((content) => ({ role: 'user' as const, content }));
  return {
    id,
    tags: [...new Set([part, topic])],
    expect,
    ...(task === undefined
      ? {}
      : { tools: orderTools.map((tool) => ({ ...tool, parameters: { ...tool.parameters } })) }),
    messages: system === undefined ? messages : [{ role: 'system', content: system }, ...messages],
    ...(turns.length === 1 ? {} : { turns: [...turns] }),
  };
}

/** @returns null if this version can no longer make the cases */
export function askedOfCheck(run: CheckedRun, marks: Marks): AskedCases | null {
  return isGone(run) ? null : askedOf(run, marks);
}

function askedOf(run: CheckedRun, marks: Marks): AskedCases {
  return {
    cases: healthCasesOf(run, marks).map(suiteCaseOf),
    indexesOf: (place) => indexesOf(place, run.trials),
  };
}

/** The cases that a run with these results has asked. */
function healthCasesOf(run: CheckedRun, marks: Marks): readonly HealthCase[] {
  return planHealthCheck(checkOf(run), (_, id) => hasPassed(passesOf(marks[id] ?? ''), run.trials));
}

/** Two runs have the same case if its id, seed and length are the same. */
function identitiesOf(run: CheckedRun, marks: Marks): readonly CaseIdentity[] {
  if (isGone(run)) return Object.keys(marks).map((id) => [id, `${run.suiteVersion}/${run.suiteSeed}`]);
  return healthCasesOf(run, marks).map(({ id, sent }) => [id, `${run.suiteSeed}/${sent.characters}`]);
}

/** What is wrong with the agent, as far as stored trials show it. */
function findingsOf(run: CheckedRun, trials: readonly StoredTrial[]): readonly Finding[] {
  const planned = planTrials(run, trials);
  const seen = trials.flatMap((trial): Observation[] => {
    const asked = planned.at(trial.index)?.asked;
    // Cases that were never sent show nothing.
    if (asked === undefined || trial.attempts === 0) return [];
    const { part, topic, sent, task } = asked;
    const calls = task === undefined ? {} : { calls: callsOf(task, trial.steps ?? []) };
    return [observe(trial, { part, topic, sent, ...calls })];
  });
  return findCauses(seen);
}

/** What a run does not ask, or cannot see, in sentences. */
function unseenIn({
  mode,
  target,
  ...run
}: Pick<RunRow, 'mode' | 'target' | 'suiteVersion'> & Sized): readonly string[] {
  return [
    ...(isGone(run) ? ['The hub has another version of the health check now, so it shows no prompts.'] : []),
    ...(isGone(run) || shapeOf(run).tools
      ? []
      : ['Tools are not tested: only a target with a model protocol is offered them.']),
    ...(mode === 'push'
      ? []
      : ['Statuses, times and calls at once cannot be seen, because the agent fetches its cases.']),
    ...(target?.concurrency === 1 ? ['Calls at once are not tested: `concurrency` is 1.'] : []),
  ];
}

const cases: CasesOfProduct = {
  version: checkVersion,
  plan: (_ctx, run) => Promise.resolve(planCheck(run)),
  goneMessage: 'The hub changed the health check while the run was open.',
  asked: (_ctx, run, marks) => Promise.resolve(askedOfCheck(run, marks)),
  identities: (_ctx, run, { marks }) => Promise.resolve(identitiesOf(run, marks)),
  isByKind: true,
  mayRead: () => Promise.resolve(true),
  unseenIn,
};

const suite = { name: checkName, version: checkVersion };
/** A long check has nearly twice as many cases. */
const prices: Readonly<Record<CheckSize, number>> = { standard: 1, long: 2 };

export const evalRun: Product = {
  name: 'eval-run',
  price: {
    freeRunField: 'freeEvalRedemptionId',
    setting: 'EVAL_RUN_COST',
    whyNotFree: ({ trials, runSize, maxPromptTokens = null }) => {
      if (trials > 1) return 'a run with `trials` never is';
      const isStandard = checkSizeOf({ trials, runSize, maxPromptTokens }) === 'standard';
      return isStandard ? null : 'a run with `size: long` never is';
    },
  },
  orders: {
    fields: ['size', 'max_prompt_tokens', 'trials'],
    read: (ctx, { checked, replayed, ...input }) => {
      const size = replayed === null ? (input.size ?? 'standard') : checkSizeOf(replayed);
      const maxPromptTokens =
        replayed === null
          ? (input.max_prompt_tokens ?? maxPromptTokensDefault)
          : (replayed.maxPromptTokens ?? 0);
      const trials = input.trials ?? 1;
      return {
        runSize: healthCheckSize({ size, maxPromptTokens, tools: hasTools(checked.target) }) * trials,
        maxPromptTokens,
        suite,
        cost: ctx.rules.evalRunCostTokens * prices[size] * trials,
      };
    },
  },
  cases,
  describe: {
    title: 'Eval run',
    notice: ({ id, agentId, redemptionId, score, failureCode }) => {
      const ids = { eval_job_id: id, redemption_id: redemptionId };
      invariant(failureCode !== 'ungraded', `No eval run ends with ${failureCode}.`);
      if (failureCode === null) {
        const data = { ...ids, status: 'completed', score: score ?? 0 } as const;
        return { agentId, kind: 'eval_job.completed', data };
      }
      const data = { ...ids, status: 'failed', failure_code: failureCode } as const;
      return { agentId, kind: 'eval_job.failed', data };
    },
  },
};

/** The plain protocol of the hub has no place for tools, and an agent that fetches its cases may have none. */
function hasTools(target: RunRow['target']): boolean {
  return toolProtocols.some(({ name }) => name === target?.protocol);
}
