/** The product `agent-run`: tasks in an office, worked on with tools. */
import { taskCount, worldName, worldVersion } from '#evals/office/make-tasks.ts';
import { compareTasks } from '#evals/office/compare-tasks.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import { endTasksEarly } from '../../agent-runs/score-tasks.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { isSameItems, newItems } from '../sampling.ts';
import type { ComparedItems, Product } from '../product.ts';
import { protocolOf, toolProtocols } from '../../targets/protocols.ts';
import { readTarget, whyRankedOrSlow } from '../read-target.ts';
import type { RedemptionInput } from '../redemption-input.ts';
import { unfetchedMs } from '../run-limits.ts';
import { exportTasks } from './exported-items.ts';
import { runNotice } from './run-notice.ts';

export const agentRun: Product = {
  name: 'agent-run',
  freeRunField: 'freeAgentRunRedemptionId',
  priceSetting: 'AGENT_RUN_COST',
  suite: { name: worldName, version: worldVersion },
  suiteVersions: ['1', worldVersion],
  fields: [],
  order: (ctx, input, { repeat } = newItems) => {
    refuseEvalOptions(input);
    refuseRepeat(repeat);
    requireTools(input);
    const { targetUrl, target, targetHeaders } = readTarget(ctx, input);
    return {
      product: 'agent-run',
      targetUrl,
      // Tasks run one after the other.
      target: target === null ? null : { ...target, concurrency: 1 },
      targetHeaders,
      runSize: taskCount,
      maxPromptTokens: null,
      ranked: input.ranked,
      suitePack: null,
      cost: ctx.rules.agentRunCostTokens,
    };
  },
  whyNotFree: ({ target, ranked, replayOf }) =>
    replayOf === null ? whyRankedOrSlow(ranked, target) : 'a replay never is',
  unbegunMs: { pull: unfetchedMs, push: unfetchedMs },
  cases: null,
  endEarly: endTasksEarly,
  compare: (before, after) =>
    compareTasks(verdictsOf(before), verdictsOf(after), isSameItems(before.run, after.run)),
  compareCases: null,
  exported: exportTasks,
  packOf: () => null,
  describe: {
    title: 'Agent run',
    noun: 'agent run',
    items: 'tasks',
    notFound: 'agent_run_not_found',
    notCompleted: 'agent_run_not_completed',
    alreadyEnded: 'agent_run_ended',
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

function refuseEvalOptions({ evalOptions = [] }: RedemptionInput): void {
  if (evalOptions.length === 0) return;
  const named = evalOptions.map((name) => `\`${name}\``).join(' and ');
  throw new DomainError(
    'invalid_body',
    `An \`agent-run\` does not take ${named}: it always has ${taskCount} tasks, and its prompts are short.`,
    { hint: `Leave out ${named}, or redeem an \`eval-run\`.` },
  );
}

function refuseRepeat(repeat: number): void {
  if (repeat === 1) return;
  throw new DomainError('invalid_body', 'An `agent-run` does not take `repeat`.', {
    hint: 'Leave out `repeat`, and replay the run with `replay_of` after it has ended.',
  });
}

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

function verdictsOf({ run, pooled }: ComparedItems) {
  return [run, ...pooled].flatMap(({ verdicts }) => verdicts ?? []);
}
