/** The product `eval-run`: cases of the suite of the hub. */
import { suiteName, suiteVersion } from '#evals/suite/index.ts';
import { compareRuns, type LadderRun } from '#evals/suite/compare-runs.ts';
import { estimateRun } from '#evals/suite/score-ladder.ts';
import { meansOfTrials } from '#evals/suite/trials.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import { invariant } from '../../errors.ts';
import { isSameItems, newItems, plainSampling } from '../sampling.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { ComparedItems, Product, RunOrder } from '../product.ts';
import { plainTarget, readTarget, whyRankedOrSlow } from '../read-target.ts';
import { type CasesOfProduct, endCasesEarly } from '../run-plan.ts';
import { isSuiteGone, planCases } from './eval-run/plan-cases.ts';
import { exportEvalCases } from './exported-items.ts';
import { evalScorecard } from './eval-run/read-scorecard.ts';

const cases: CasesOfProduct = {
  plan: (_ctx, run) => Promise.resolve(isSuiteGone(run) ? null : planCases(run)),
  goneMessage: 'The hub changed the suite while the run was open.',
  // The plan of an eval run stores these.
  shown: (_ctx, _run, items) => Promise.resolve(items as readonly StoredCase[]),
};

export const evalRun: Product = {
  name: 'eval-run',
  freeRunField: 'freeEvalRedemptionId',
  priceSetting: 'EVAL_RUN_COST',
  suite: { name: suiteName, version: suiteVersion },
  suiteVersions: ['1', '2', '3', '4', '5', '6', suiteVersion],
  fields: [],
  order: (ctx, input, { repeat, replayed } = newItems) => {
    const cases = replayed === null ? input.runSize : replayed.runSize / replayed.repeat;
    const runSize = cases * repeat;
    return {
      ...readTarget(ctx, input),
      product: 'eval-run',
      runSize,
      maxPromptTokens: (replayed ?? input).maxPromptTokens,
      ranked: input.ranked,
      cost: ctx.rules.evalRunCostTokens * (runSize / 40),
    };
  },
  whyNotFree: ({ runSize, repeat, replayOf, ranked, target }) => {
    if (replayOf !== null) return 'a replay never is';
    if (repeat > 1) return 'a run with `repeat` never is';
    return runSize === 40 ? whyRankedOrSlow(ranked, target) : `a run of ${runSize} cases never is`;
  },
  unbegunMs: { pull: null, push: null },
  cases,
  endEarly: (ctx, run, why) => endCasesEarly(ctx, run, why, cases),
  compare: (before, after) =>
    compareRuns(ladderRunOf(before), ladderRunOf(after), isSameItems(before.run, after.run)),
  compareCases: null,
  sharing: { operation: 'postEvalJobsByIdShare', scorecard: evalScorecard },
  exported: exportEvalCases,
  describe: {
    title: 'Eval run',
    noun: 'eval run',
    page: '/me/runs',
    items: 'cases',
    notFound: 'eval_job_not_found',
    notCompleted: 'eval_job_not_completed',
    alreadyEnded: 'eval_job_ended',
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

/** An order with the defaults, as for a request with only `target_url`; null is pull mode. It costs one token. */
export function plainOrder(targetUrl: string | null): RunOrder {
  return {
    ...plainSampling,
    product: 'eval-run',
    targetUrl,
    target: targetUrl === null ? null : plainTarget,
    targetHeaders: null,
    runSize: 40,
    maxPromptTokens: 32_000,
    ranked: false,
    cost: 1,
  };
}

function ladderRunOf({ run: { estimate, score, repeat }, pooled, cases: items }: ComparedItems): LadderRun {
  // The plan of an eval run stores these.
  const cases = meansOfTrials(items as readonly StoredCase[], repeat);
  if (pooled.length > 0) return { estimate: estimateRun(cases), cases };
  const ladder = estimate?.ladder;
  invariant(ladder !== undefined && estimate !== null && score !== null, 'A completed run has an estimate.');
  const { level, interval } = estimate;
  invariant(level !== null, 'A completed eval run has a level.');
  const { score_se: scoreSe, ...rest } = ladder;
  return { estimate: { ...rest, level, interval, score, scoreSe }, cases };
}
