/** The product `eval-run`: the health check of the hub. */
import { checkName, checkVersion, type CheckSize, healthCheckSize } from '#evals/health/health-check.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { invariant } from '../../errors.ts';
import { toolProtocols } from '../../targets/protocols.ts';
import type { Product } from '../product.ts';
import { maxPromptTokensDefault } from '../redemption-input.ts';
import type { CasesOfProduct } from '../run-plan.ts';
import { askedOfCheck, checkSizeOf, identitiesOf, planCheck, unseenIn } from './eval-run/plan-check.ts';

const cases: CasesOfProduct = {
  versions: [checkVersion],
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
    noun: 'eval run',
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
