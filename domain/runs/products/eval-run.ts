/** The product `eval-run`: the health check of the hub. */
import { checkName, checkVersion, type CheckSize, healthCheckSize } from '#evals/health/health-check.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import { DomainError, invariant } from '../../errors.ts';
import { protocolOf } from '../../targets/protocols.ts';
import { exportCases } from '../cases/export-cases.ts';
import { shareCases } from '../cases/share-cases.ts';
import type { Product, RunOrder } from '../product.ts';
import { plainTarget, readTarget, whyRankedOrSlow } from '../read-target.ts';
import { maxPromptTokensDefault } from '../redemption-input.ts';
import { unfetchedMs } from '../run-limits.ts';
import { type CasesOfProduct, endCasesEarly } from '../run-plan.ts';
import { newItems, plainSampling } from '../sampling.ts';
import { readSuiteResults } from '../cases/read-results.ts';
import {
  askedOfCheck,
  checkSizeOf,
  identitiesOf,
  planCheck,
  readFindings,
  unseenIn,
} from './eval-run/plan-check.ts';

const cases: CasesOfProduct = {
  plan: (_ctx, run) => Promise.resolve(planCheck(run)),
  goneMessage: 'The hub changed the health check while the run was open.',
  asked: (_ctx, run, marks) => Promise.resolve(askedOfCheck(run, marks)),
  mayRead: () => Promise.resolve(true),
  readFindings,
  unseenIn,
};

/** A long check has nearly twice as many cases. */
const prices: Readonly<Record<CheckSize, number>> = { standard: 1, long: 2 };

export const evalRun: Product = {
  name: 'eval-run',
  freeRunField: 'freeEvalRedemptionId',
  priceSetting: 'EVAL_RUN_COST',
  suite: { name: checkName, version: checkVersion },
  suiteVersions: [checkVersion],
  fields: ['size', 'max_prompt_tokens', 'trials'],
  order: (ctx, input, { repeat, replayed } = newItems) => {
    if (repeat > 1) throw notRepeated();
    const size = replayed === null ? (input.size ?? 'standard') : checkSizeOf(replayed);
    const maxPromptTokens =
      replayed === null
        ? (input.max_prompt_tokens ?? maxPromptTokensDefault)
        : (replayed.maxPromptTokens ?? 0);
    const trials = input.trials ?? 1;
    const called = readTarget(ctx, input);
    return {
      ...called,
      product: 'eval-run',
      runSize: healthCheckSize({ size, maxPromptTokens, tools: hasTools(called.target) }) * trials,
      maxPromptTokens,
      ranked: input.ranked,
      trials,
      cost: ctx.rules.evalRunCostTokens * prices[size] * trials,
    };
  },
  whyNotFree: ({ trials = 1, replayOf, ranked, target, ...order }) => {
    if (replayOf !== null) return 'a replay never is';
    if (trials > 1) return 'a run with `trials` never is';
    return checkSizeOf({ trials, ...order }) === 'standard'
      ? whyRankedOrSlow(ranked, target)
      : 'a run with `size: long` never is';
  },
  unbegunMs: { pull: unfetchedMs, push: null },
  cases,
  endEarly: (ctx, run, why) => endCasesEarly(ctx, run, why, cases),
  compared: async (ctx, run) => {
    const marks = (await readSuiteResults(ctx, [run.id])).get(run.id)?.marks ?? {};
    return { identities: identitiesOf(run, marks), marks, isByKind: true };
  },
  sharing: {
    scorecard: (ctx, run, withTexts) => shareCases(ctx, cases, run, withTexts),
  },
  exported: (ctx, run) => exportCases(ctx, cases, run),
  describe: {
    title: 'Eval run',
    noun: 'eval run',
    page: '/me/runs',
    items: 'cases',
    list: 'listEvalJobs',
    show: 'getEvalJob',
    next: 'getNextCases',
    notice: ({ id, agentId, redemptionId, score, failureCode }) => {
      const ids = { eval_job_id: id, redemption_id: redemptionId };
      invariant(
        failureCode !== 'never_fetched' && failureCode !== 'ungraded',
        `No eval run ends with ${failureCode}.`,
      );
      if (failureCode === null) {
        const data = { ...ids, status: 'completed', score: score ?? 0 } as const;
        return { agentId, kind: 'eval_job.completed', data };
      }
      const data = { ...ids, status: 'failed', failure_code: failureCode } as const;
      return { agentId, kind: 'eval_job.failed', data };
    },
    ended: counter(
      'hub_eval_runs_total',
      'Eval runs ended: outcome completed or failed, and the failure code (none when completed).',
      ['outcome', 'code'],
    ),
  },
};

/** The plain protocol of the hub has no place for tools, and an agent that fetches its cases may have none. */
function hasTools(target: RunRow['target']): boolean {
  return target !== null && protocolOf(target.protocol).tools !== null;
}

function notRepeated(): DomainError {
  return new DomainError('invalid_body', 'An `eval-run` takes no `repeat`.', {
    hint: '`trials` says how often each case is asked.',
  });
}

/** An order with the defaults, as for a request with only `target_url`; null is pull mode. It costs one token. */
export function plainOrder(targetUrl: string | null): RunOrder {
  return {
    ...plainSampling,
    product: 'eval-run',
    targetUrl,
    target: targetUrl === null ? null : plainTarget,
    targetHeaders: null,
    runSize: healthCheckSize({
      size: 'standard',
      maxPromptTokens: maxPromptTokensDefault,
      tools: false,
    }),
    maxPromptTokens: maxPromptTokensDefault,
    ranked: false,
    cost: 1,
  };
}
