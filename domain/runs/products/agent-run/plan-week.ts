/**
 * The plan of an agent run: the tasks of a week in an office, one after the other. Each begins in the office that the
 * earlier ones left behind, which follows from their stored steps.
 */
import type { RunRow } from '#db/schema/run-tables.ts';
import { findCauses } from '#evals/findings/find-causes.ts';
import type { Observation } from '#evals/findings/observation.ts';
import type { Finding } from '#evals/findings/rule.ts';
import type { SuiteCase } from '#evals/own-suite/document.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { StoredSuiteResult, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { type WeekLevel, weekLevels } from '#evals/week/dials.ts';
import { figuresOf, type StoredTask, withUnreached } from '#evals/week/score.ts';
import type { Missed } from '#evals/week/grade.ts';
import {
  nextWorld,
  type OfficeState,
  type OfficeWorld,
  verdictOf,
  weekAfter,
} from '#evals/week/office-world.ts';
import { makeWeek, weekVersion } from '#evals/week/week.ts';
import { converse, type Scene, type Step } from '#evals/worlds/world.ts';
import { takeTurn } from '#runtime/process/loop-turns.ts';
import type { Ctx } from '../../../context.ts';
import { gradedTrial, type PlannedTrial, trialInError } from '../../cases/trials.ts';
import { type AskedCases, type RunPlan, storedReply } from '../../run-plan.ts';
import { listItems } from '../../store-items.ts';

type WeekPlan = RunPlan<PlannedTrial, StoredTrial>;
type Db = Pick<Ctx, 'db'>;
type WeekRun = Pick<RunRow, 'id' | 'suiteSeed' | 'suiteVersion' | 'runSize' | 'trials' | 'levels'>;

/** @returns null if this version can no longer make the tasks */
export function planWeek(ctx: Db, run: WeekRun): WeekPlan | null {
  if (run.suiteVersion !== weekVersion) return null;
  const { trials, runSize } = run;
  const tasks = tasksInWeek(run);
  const idOf = ({ suiteCase, trial }: PlannedTrial) =>
    trials === 1 ? suiteCase.id : `${suiteCase.id}/${trial}`;
  const plannedAt = (index: number): PlannedTrial => ({
    index,
    suiteCase: { id: caseId(index % tasks), expect: [] },
    trial: 1 + Math.floor(index / tasks),
  });
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
    idOf,
    indexOf: (id) => {
      const [, n = '', trial = '1'] = /^task-(\d{1,2})(?:\/(\d))?$/.exec(id) ?? [];
      const index = (Number(trial) - 1) * tasks + Number(n) - 1;
      return n !== '' && index >= 0 && index < runSize && idOf(plannedAt(index)) === id ? index : null;
    },
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
      return { ...stored, steps: said, task: taskOf(open, verdict, item.index) };
    },
    inError: async (item, code, unanswered) => {
      const stored = trialInError(item, code, unanswered);
      const { attempts, steps = [] } = unanswered;
      if (attempts === 0 && steps.length === 0) return stored;
      // What was done counts for the tasks after it.
      const open = await openTask(ctx, run, item.index);
      const verdict = verdictAfter(open, steps);
      const task = { ...taskOf(open, verdict, item.index), passed: false };
      return { ...stored, graders: gradersOf(verdict.missed), steps, task };
    },
    scored: ({ steps: _steps, ...trial }) => trial,
    casesOf: (trials) => casesOf(run, trials),
    findings: findingsOf,
    figures: (trials) => {
      const verdicts = withUnreached(reached(trials), runSize, tasks, run.levels ?? []);
      const { score, interval, level } = figuresOf(verdicts, tasks);
      const effort = {
        calls: verdicts.reduce((sum, { calls }) => sum + calls, 0),
        passed: verdicts.filter(({ passed }) => passed).length,
      };
      const levels = verdicts.slice(0, tasks).map((verdict) => verdict.level);
      return { score, estimate: { level, interval, effort }, levels };
    },
  };
}

export function tasksInWeek({ runSize, trials }: Pick<RunRow, 'runSize' | 'trials'>): number {
  return runSize / trials;
}

/** @param place in the week, from 0 */
function caseId(place: number): string {
  return `task-${place + 1}`;
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
  let open = from ?? presented(nextWorld(await newWeek(ctx, run, first)), first);
  if (open.index < index) {
    const before = Array.from({ length: index - open.index }, (_, at) => open.index + at);
    const stored = new Map((await listTrials(ctx, run, before)).map((trial) => [trial.index, trial]));
    for (const place of before) {
      // A task takes up to 100 ms to make.
      await takeTurn();
      const state = stateAfter(open, stored.get(place)?.steps ?? []);
      open = presented(nextWorld(weekAfter(state)), place + 1);
    }
  }
  keep(run.id, open);
  return open;
}

function presented(world: OfficeWorld, index: number): OpenTask {
  return { index, world, scene: { system: world.system, world } };
}

function keep(runId: string, open: OpenTask): void {
  kept.delete(runId);
  kept.set(runId, open);
  const [oldest] = kept.keys();
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
}

/** The first week of a run sets the levels of the others. */
async function newWeek(ctx: Db, run: WeekRun, first: number) {
  const tasks = tasksInWeek(run);
  const earlier = first === 0 ? [] : await listTrials(ctx, run, indexesFrom(0, tasks));
  const levels =
    first === 0
      ? run.levels
      : withUnreached(reached(earlier), tasks, tasks, run.levels ?? []).map(({ level }) => level);
  return makeWeek(run.suiteSeed, { tasks, ...(levels === null ? {} : { levels: asLevels(levels) }) });
}

function asLevels(levels: readonly number[]): readonly WeekLevel[] {
  return levels.flatMap((level) => weekLevels.filter((known) => known === level));
}

function indexesFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

async function listTrials(ctx: Db, { id }: Pick<RunRow, 'id'>, indexes?: readonly number[]) {
  // The plan of an agent run stores these.
  return (await listItems(ctx, id, indexes)) as StoredTrial[];
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

function reached(trials: readonly StoredTrial[]): readonly StoredTask[] {
  return trials
    .toSorted((one, other) => one.index - other.index)
    .flatMap(({ task }) => (task === undefined ? [] : [task]));
}

/** As far as they are known; a case without an answer has no tags. */
function casesOf(run: WeekRun, trials: readonly StoredTrial[]): readonly SuiteCase[] {
  const tasks = tasksInWeek(run);
  const known = new Map(reached(trials).map((task) => [(task.n - 1) % tasks, task]));
  return indexesFrom(0, tasks).map((place) => {
    const task = known.get(place);
    const tags = task === undefined ? [] : [...(task.family ?? '').split('+'), `level-${task.level}`];
    return { id: caseId(place), tags, prompt: task?.prompt ?? '', expect: [] };
  });
}

/** Of the tasks of a run, each with all of its weeks. */
export async function askedOfWeek(ctx: Db, run: WeekRun): Promise<AskedCases> {
  const tasks = tasksInWeek(run);
  return {
    cases: casesOf(run, await listTrials(ctx, run, indexesFrom(0, tasks))),
    indexesOf: (place) => indexesFrom(0, run.trials).map((week) => week * tasks + place),
  };
}

/** Tasks of other seeds or levels differ in more than their words. */
export function identitiesOfWeek(
  { suiteSeed }: Pick<RunRow, 'suiteSeed'>,
  { marks, levels = [] }: StoredSuiteResult,
): readonly CaseIdentity[] {
  return Object.keys(marks).map((id, place) => [id, `${suiteSeed}/${levels[place] ?? 0}`]);
}

function findingsOf(trials: readonly StoredTrial[]): readonly Finding[] {
  return findCauses(trials.flatMap(observe));
}

function observe(trial: StoredTrial): Observation[] {
  const { case_id: id, task, status, error_code: code, error_response: response } = trial;
  if (task === undefined) return [];
  return [
    {
      id,
      part: 'office',
      topic: task.family,
      sent: { characters: task.prompt.length, prompt: task.prompt, turns: 1, atOnce: false },
      reply: status === 'error' ? null : (trial.response_text ?? ''),
      error: status === 'error' ? { code: code ?? 'no_reply', status: response?.status ?? null } : null,
      passed: status === 'passed',
      undone: [],
      task: { ...task, missed: trial.graders.filter(({ passed }) => !passed) },
    },
  ];
}

/** The levels of the first week, as far as they are known; null if none is. */
export async function levelsOfWeek(
  ctx: Db,
  run: WeekRun,
  result: StoredSuiteResult | null,
): Promise<readonly number[] | null> {
  if (run.levels !== null) return run.levels;
  const tasks = tasksInWeek(run);
  const known =
    result?.levels ?? reached(await listTrials(ctx, run, indexesFrom(0, tasks))).map(({ level }) => level);
  return known.length === 0 ? null : known;
}
