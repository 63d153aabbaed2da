/** The product `agent-run`: a working week in an office, worked on with tools. */
import { type TaskCount, weekName, weekVersion } from '#evals/week/week.ts';
import { marksOfStatuses } from '#evals/own-suite/trial-marks.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import type { RunRow, StoredTaskVerdict } from '#db/schema/run-tables.ts';
import { agentScorecard } from './agent-run/read-card.ts';
import { endTasksEarly } from './agent-run/score-tasks.ts';
import { placeInWeek, tasksInWeek } from './agent-run/weeks.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { newItems } from '../sampling.ts';
import type { ComparedTrials, Product } from '../product.ts';
import { protocolOf, toolProtocols } from '../../targets/protocols.ts';
import { readTarget, whyRankedOrSlow } from '../read-target.ts';
import type { RedemptionInput } from '../redemption-input.ts';
import { unfetchedMs } from '../run-limits.ts';
import { exportTasks } from './agent-run/export-tasks.ts';
import { runNotice } from './run-notice.ts';

/** They cost one price. */
const tasksDefault: TaskCount = 12;

export const agentRun: Product = {
  name: 'agent-run',
  freeRunField: 'freeAgentRunRedemptionId',
  priceSetting: 'AGENT_RUN_COST',
  suite: { name: weekName, version: weekVersion },
  suiteVersions: ['2', '3', '4', '5', weekVersion],
  fields: ['tasks'],
  order: (ctx, input, { repeat, replayed } = newItems) => {
    requireTools(input);
    const tasks = replayed === null ? (input.tasks ?? tasksDefault) : tasksInWeek(replayed);
    const runSize = tasks * repeat;
    const { targetUrl, target, targetHeaders } = readTarget(ctx, input);
    return {
      product: 'agent-run',
      targetUrl,
      // Tasks run one after the other.
      target: target === null ? null : { ...target, concurrency: 1 },
      targetHeaders,
      runSize,
      maxPromptTokens: null,
      ranked: input.ranked,
      cost: ctx.rules.agentRunCostTokens * (runSize / tasksDefault),
    };
  },
  whyNotFree: ({ runSize, repeat, target, ranked, replayOf }) => {
    if (replayOf !== null) return 'a replay never is';
    if (repeat > 1) return 'a run with `repeat` never is';
    return runSize === tasksDefault ? whyRankedOrSlow(ranked, target) : `a run of ${runSize} tasks never is`;
  },
  unbegunMs: { pull: unfetchedMs, push: unfetchedMs },
  cases: null,
  levelsOf,
  endEarly: endTasksEarly,
  compared: (_ctx, run) => Promise.resolve(comparedTasks(run)),
  sharing: {
    scorecard: async (ctx, run, withTexts) => {
      const model = await agentScorecard(ctx, run, withTexts);
      return model === null ? null : { kind: 'tasks', model };
    },
  },
  exported: exportTasks,
  describe: {
    title: 'Agent run',
    noun: 'agent run',
    page: '/me/agent-runs',
    items: 'tasks',
    list: 'getAgentRuns',
    show: 'getAgentRunsById',
    next: 'getAgentRunsByIdTasksNext',
    notice: runNotice,
    ended: counter(
      'hub_agent_runs_total',
      'Agent runs ended: outcome completed or failed, and the failure code (none when completed).',
      ['outcome', 'code'],
    ),
  },
};

function requireTools({ target, targetUrl }: RedemptionInput): void {
  if (targetUrl === null && (target === null || protocolOf(target.protocol).tools !== null)) return;
  const names = toolProtocols.map(({ name }) => `\`${name}\``);
  const rule = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  throw new DomainError(
    'invalid_body',
    `The target of an \`agent-run\` must use a protocol with tools: ${rule}.`,
    {
      hint: `Send \`target\` with one of them as \`protocol\`, and reply with calls of tools; or send no target, and fetch the tasks from ${operation('getAgentRunsByIdTasksNext')}.`,
    },
  );
}

/** @throws DomainError run_not_replayable */
function levelsOf(run: RunRow): readonly number[] {
  if (run.levels !== null) return run.levels;
  if (run.verdicts !== null) return run.verdicts.slice(0, tasksInWeek(run)).map(({ level }) => level);
  throw new DomainError(
    'run_not_replayable',
    `Run ${run.id} failed, so the levels of its tasks are not known.`,
    { hint: 'Replay a run that has completed.' },
  );
}

/** The verdicts on each task of the week. */
function tasksOf(run: RunRow): readonly (readonly StoredTaskVerdict[])[] {
  const places = Map.groupBy(run.verdicts ?? [], ({ n }) => placeInWeek(run, n));
  return [...places].toSorted(([one], [other]) => one - other).map(([, verdicts]) => verdicts);
}

/** The task at a place of the week is a case; tasks of other seeds differ in more than their words. */
function comparedTasks(run: RunRow): ComparedTrials {
  const tasks = tasksOf(run).map((trials, place) => ({
    id: `task-${place + 1}`,
    identity: `${run.suiteSeed}/${trials[0]?.level ?? 0}`,
    marks: marksOfStatuses(
      trials.map(({ passed, error }) => (passed ? 'passed' : error === undefined ? 'failed' : 'error')),
    ),
  }));
  return {
    identities: tasks.map(({ id, identity }) => [id, identity]),
    marks: Object.fromEntries(tasks.map(({ id, marks }) => [id, marks])),
    isByKind: true,
  };
}
