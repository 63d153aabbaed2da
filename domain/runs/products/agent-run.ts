/**
 * The product `agent-run`: a working week in an office, with tools. Its tasks are consecutive: each begins in the office
 * that the earlier ones left behind, which follows from their stored steps.
 */
import type { RunRow } from '#db/schema/run-tables.ts';
import { findCauses } from '#evals/findings/find-causes.ts';
import type { Finding } from '#evals/own-suite/shown-run.ts';
import type { SuiteCase } from '#evals/own-suite/document.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { StoredSuiteResult, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { Missed, StoredTask } from '#evals/week/grade.ts';
import {
  nextWorld,
  type OfficeState,
  type OfficeWorld,
  verdictOf,
  weekAfter,
} from '#evals/week/office-world.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { makeWeek, type TaskCount, weekName, weekVersion } from '#evals/week/week.ts';
import { converse, type Scene, type Step } from '#evals/worlds/world.ts';
import { keepNewest } from '#runtime/keep-newest.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import type { Ctx } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { toolProtocols } from '../../targets/protocols.ts';
import { gradedTrial, observe, roundsOf, storedReply, trialInError } from '../cases/trials.ts';
import { type Product, runNotice } from '../product.ts';
import type { RedemptionInput } from '../redemption-input.ts';
import type { AskedCases, CasesOfProduct, PlannedTrial, RunPlan } from '../run-plan.ts';
import { listItems } from '../store-items.ts';

type Db = Pick<Ctx, 'db'>;
type WeekRun = Pick<RunRow, 'id' | 'suiteSeed' | 'suiteVersion' | 'runSize' | 'trials'>;

/** Whether this version can no longer make the tasks of a run. */
function isGone({ suiteVersion }: Pick<RunRow, 'suiteVersion'>): boolean {
  return suiteVersion !== weekVersion;
}

/** @returns null if this version can no longer make the tasks */
export function planWeek(ctx: Db, run: WeekRun): RunPlan | null {
  if (isGone(run)) return null;
  const { runSize } = run;
  const rounds = roundsOfWeek(run);
  const plannedAt = (index: number): PlannedTrial => {
    const { place, trial } = rounds.placeAt(index);
    return { index, suiteCase: { id: caseId(place), expect: [] }, trial };
  };
  return {
    total: runSize,
    firstStage: 1,
    isAdaptive: true,
    longestPromptBytes: () => 0,
    // A task begins when the one before it has ended.
    planned: (recorded) => {
      const length = Math.min(runSize, recorded.length + 1);
      return { length, at: (index) => (index < length ? plannedAt(index) : undefined) };
    },
    idOf: rounds.idOf,
    indexOf: rounds.indexOf,
    present: async ({ index }) => (await openTask(ctx, run, index)).scene,
    grade: async (asked) => {
      const { steps, item, redact = (text) => text } = asked;
      const open = await openTask(ctx, run, item.index);
      const verdict = verdictAfter(open, steps);
      const { passed, partial, missed } = verdict;
      const grade = { passed, share: passed ? 1 : partial, graders: gradersOf(missed) };
      const stored = gradedTrial(asked, { text: lastWords(steps), tool_calls: [] }, grade);
      const said = steps.map((step) => ({
        ...step,
        text: step.text === null ? null : storedReply(redact(step.text)),
      }));
      return { ...stored, steps: said, task: taskOf(open, verdict, item.index), ...briefOf(open) };
    },
    inError: async (item, code, unanswered) => {
      const stored = trialInError(item, code, unanswered);
      const { attempts, steps = [] } = unanswered;
      if (attempts === 0 && steps.length === 0) return stored;
      // What was done counts for the tasks after it.
      const open = await openTask(ctx, run, item.index);
      const verdict = verdictAfter(open, steps);
      const task = { ...taskOf(open, verdict, item.index), passed: false };
      return { ...stored, graders: gradersOf(verdict.missed), steps, task, ...briefOf(open) };
    },
    scored: ({ steps: _steps, brief: _brief, ...trial }) => trial,
    casesOf: (trials) => casesOf(run, trials),
    findings: findingsOf,
    effort: (trials) => {
      const begun = trials.flatMap(({ task }) => task ?? []);
      return {
        calls: begun.reduce((sum, { calls }) => sum + calls, 0),
        passed: begun.filter(({ passed }) => passed).length,
      };
    },
  };
}

function tasksInWeek({ runSize, trials }: Pick<RunRow, 'runSize' | 'trials'>): number {
  return runSize / trials;
}

/** @param place in the week, from 0 */
function caseId(place: number): string {
  return `task-${place + 1}`;
}

function roundsOfWeek(run: Pick<RunRow, 'runSize' | 'trials'>) {
  const tasks = tasksInWeek(run);
  const ids = indexesFrom(0, tasks).map(caseId);
  return roundsOf({ cases: tasks, trials: run.trials }, (id) => (ids.includes(id) ? ids.indexOf(id) : null));
}

interface OpenTask {
  readonly index: number;
  readonly world: OfficeWorld;
  readonly scene: Scene;
}

/** A week takes about 4 MB. */
const keptMax = 24;
/** The newest task of each run that this process works on, by its id. All of them follow from what is stored. */
const kept = new Map<string, OpenTask>();

async function openTask(ctx: Db, run: WeekRun, index: number): Promise<OpenTask> {
  const found = kept.get(run.id);
  const first = index - (index % tasksInWeek(run));
  const from = found !== undefined && found.index >= first && found.index <= index ? found : null;
  let open = from ?? presented(nextWorld(makeWeek(run.suiteSeed, { tasks: tasksInWeek(run) })), first);
  if (open.index < index) {
    const before = indexesFrom(open.index, index - open.index);
    const stored = new Map((await listItems(ctx, run.id, before)).map((trial) => [trial.index, trial]));
    for (const place of before) {
      // A task takes up to 100 ms to make.
      await takeTurn();
      const state = stateAfter(open, stored.get(place)?.steps ?? []);
      open = presented(nextWorld(weekAfter(state)), place + 1);
    }
  }
  keepNewest(kept, run.id, open, keptMax);
  return open;
}

function presented(world: OfficeWorld, index: number): OpenTask {
  return { index, world, scene: { system: world.system, world } };
}

function indexesFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

function stateAfter({ scene, world }: OpenTask, steps: readonly Step[]): OfficeState {
  const { turn } = converse(scene, steps);
  // The state of this world.
  return (turn.state ?? world.start().state) as OfficeState;
}

function verdictAfter(open: OpenTask, steps: readonly Step[]) {
  const state = stateAfter(open, steps);
  const refused = state.calls.filter(({ outcome }) => outcome === 'refused');
  return { ...verdictOf(state), refused };
}

function taskOf(
  { world }: OpenTask,
  { missed: _missed, refused, ...verdict }: ReturnType<typeof verdictAfter>,
  index: number,
): StoredTask {
  const [asked] = world.start().messages;
  const refusal = refused[0]?.result ?? null;
  return { ...verdict, n: index + 1, prompt: asked?.content ?? '', refused: refused.length, refusal };
}

/** It is that of every task. */
function briefOf({ index, scene }: OpenTask): Pick<StoredTrial, 'brief'> {
  return index === 0 && scene.system !== null ? { brief: scene.system } : {};
}

/** What was missed is stored once for each task, up to this many things. */
const missedMax = 60;
const done = {
  name: 'office',
  passed: true,
  expected: 'what the task and the manual require',
  found: 'it is',
};

function gradersOf(missed: readonly Missed[]): StoredTrial['graders'] {
  if (missed.length === 0) return [done];
  return missed.slice(0, missedMax).map(({ what, done: found, sources }) => ({
    name: 'office',
    passed: false,
    expected: sources.length === 0 ? what : `${what} (${sources.join('; ')})`,
    found,
  }));
}

/** The message with which the agent ended the task, or what it said last. */
function lastWords(steps: readonly Step[]): string {
  const last = steps.at(-1);
  const end = last?.calls.find(({ name }) => name === 'task_finish')?.arguments;
  const message: unknown = typeof end === 'object' && end !== null ? Reflect.get(end, 'message') : null;
  return typeof message === 'string' ? message : (last?.text ?? '');
}

/** As far as they are known; a case without an answer has no tags. */
function casesOf(run: WeekRun, trials: readonly StoredTrial[]): readonly SuiteCase[] {
  const tasks = tasksInWeek(run);
  const known = new Map(
    trials.flatMap(({ index, task }) => (task === undefined ? [] : [[index % tasks, task] as const])),
  );
  return indexesFrom(0, tasks).map((place) => {
    const task = known.get(place);
    return { id: caseId(place), tags: task?.family.split('+') ?? [], prompt: task?.prompt ?? '', expect: [] };
  });
}

/** Of the tasks of a run, each with all of its weeks. */
async function askedOfWeek(ctx: Db, run: WeekRun): Promise<AskedCases> {
  const stored = await listItems(ctx, run.id, indexesFrom(0, tasksInWeek(run)));
  const { brief } = stored[0] ?? {};
  return {
    cases: casesOf(run, stored),
    indexesOf: roundsOfWeek(run).indexesOf,
    shared: { ...(brief === undefined ? {} : { system: brief }), ...(isGone(run) ? {} : { tools }) },
  };
}

const tools = weekTools.map(({ name, description, parameters }) => {
  return { name, description, parameters: { ...parameters } };
});

/** Tasks of other seeds, or of longer weeks, differ in more than their words. */
function identitiesOfWeek(
  run: Pick<RunRow, 'suiteSeed' | 'runSize' | 'trials'>,
  { marks }: StoredSuiteResult,
): readonly CaseIdentity[] {
  return Object.keys(marks).map((id) => [id, `${run.suiteSeed}/${tasksInWeek(run)}`]);
}

function findingsOf(trials: readonly StoredTrial[]): readonly Finding[] {
  const seen = trials.flatMap((trial) => {
    const { task, graders } = trial;
    if (task === undefined) return [];
    const sent = { characters: task.prompt.length, prompt: task.prompt, turns: 1, atOnce: false };
    const ended = { ...task, missed: graders.filter(({ passed }) => !passed) };
    return [observe(trial, { part: 'office', topic: task.family, sent, task: ended })];
  });
  return findCauses(seen);
}

const cases: CasesOfProduct = {
  version: weekVersion,
  plan: (ctx, run) => Promise.resolve(planWeek(ctx, run)),
  goneMessage: 'The hub changed the office while the run was open.',
  asked: askedOfWeek,
  identities: (_ctx, run, result) => Promise.resolve(identitiesOfWeek(run, result)),
  isByKind: true,
  mayRead: () => Promise.resolve(true),
};

/** They cost one price. */
const tasksDefault: TaskCount = 12;
/** Half a minute for each call of a long task. */
const secondsPerTask = 2_400;

export const agentRun: Product = {
  name: 'agent-run',
  price: {
    freeRunField: 'freeAgentRunRedemptionId',
    setting: 'AGENT_RUN_COST',
    whyNotFree: ({ runSize, trials }) => {
      if (trials > 1) return 'a run with `trials` never is';
      return runSize === tasksDefault ? null : `a run of ${runSize} tasks never is`;
    },
  },
  orders: {
    fields: ['tasks', 'trials'],
    read: (ctx, { checked: { target }, replayed, ...input }) => {
      requireTools(input);
      const tasks = replayed === null ? (input.tasks ?? tasksDefault) : tasksInWeek(replayed);
      const runSize = tasks * (input.trials ?? 1);
      return {
        // Tasks run one after the other.
        target: target === null ? null : { ...target, concurrency: 1 },
        runSize,
        limitSeconds: runSize * secondsPerTask,
        suite: { name: weekName, version: weekVersion },
        cost: ctx.rules.agentRunCostTokens * (runSize / tasksDefault),
      };
    },
  },
  cases,
  describe: {
    title: 'Agent run',
    notice: runNotice,
  },
};

function requireTools({ target, targetUrl }: RedemptionInput): void {
  const isPull = target === null && targetUrl === null;
  if (isPull || toolProtocols.some(({ name }) => name === target?.protocol)) return;
  const names = toolProtocols.map(({ name }) => `\`${name}\``);
  const rule = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  throw new DomainError(
    'invalid_body',
    `The target of an \`agent-run\` must use a protocol with tools: ${rule}.`,
    {
      hint: `Send \`target\` with one of them as \`protocol\`; or send no target, and fetch the tasks: ${operation('getNextCases')}.`,
    },
  );
}
