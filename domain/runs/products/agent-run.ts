/** The product `agent-run`: a working week in an office, worked on with tools. */
import { type TaskCount, weekName, weekVersion } from '#evals/week/week.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { toolProtocols } from '../../targets/protocols.ts';
import type { Product } from '../product.ts';
import type { RedemptionInput } from '../redemption-input.ts';
import type { CasesOfProduct } from '../run-plan.ts';
import { askedOfWeek, identitiesOfWeek, planWeek, tasksInWeek } from './agent-run/plan-week.ts';
import { runNotice } from './run-notice.ts';

const cases: CasesOfProduct = {
  versions: [weekVersion],
  plan: (ctx, run) => Promise.resolve(planWeek(ctx, run)),
  goneMessage: 'The hub changed the office while the run was open.',
  asked: (ctx, run) => askedOfWeek(ctx, run),
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
    noun: 'agent run',
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
