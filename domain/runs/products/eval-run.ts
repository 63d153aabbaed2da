/** The product `eval-run`: cases of the public suite, and of a private pack. */
import { suiteName, suiteVersion } from '#evals/suite/index.ts';
import { compareRuns, type LadderRun } from '#evals/suite/compare-runs.ts';
import { estimateRun } from '#evals/suite/score-ladder.ts';
import { meansOfTrials } from '#evals/suite/trials.ts';
import { identityOf } from '#evals/suite/packs/pack.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx } from '../../context.ts';
import { DomainError, invariant } from '../../errors.ts';
import { isSameItems, newItems, plainSampling } from '../sampling.ts';
import type { RedemptionInput } from '../redemption-input.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { ComparedItems, Product, RunOrder } from '../product.ts';
import { plainTarget, readTarget, whyRankedOrSlow } from '../read-target.ts';
import { type CasesOfProduct, endCasesEarly } from '../run-plan.ts';
import { showCases } from './eval-run/describe-cases.ts';
import { planCases } from './eval-run/plan-cases.ts';
import { exportEvalCases } from './exported-items.ts';
import { evalScorecard } from './eval-run/read-scorecard.ts';
import { suiteGoneMessage, suiteOfRun } from './eval-run/suite-of-run.ts';

const cases: CasesOfProduct = {
  plan: (ctx, run) => {
    const suite = suiteOfRun(ctx, run);
    return Promise.resolve(suite === null ? null : planCases(suite, run));
  },
  goneMessage: suiteGoneMessage,
  // The plan of an eval run stores these.
  shown: (ctx, run, items) => Promise.resolve(showCases(ctx, run, items as readonly StoredCase[])),
};

export const evalRun: Product = {
  name: 'eval-run',
  freeRunField: 'freeEvalRedemptionId',
  priceSetting: 'EVAL_RUN_COST',
  suite: { name: suiteName, version: suiteVersion },
  suiteVersions: ['1', '2', '3', '4', '5', '6', suiteVersion],
  fields: [],
  order: (ctx, input, { repeat, replayed } = newItems) => {
    const base = replayed === null ? fresh(ctx, input) : again(ctx, replayed);
    const runSize = base.cases * repeat;
    return {
      ...readTarget(ctx, input),
      product: 'eval-run',
      runSize,
      maxPromptTokens: base.maxPromptTokens,
      ranked: input.ranked,
      suitePack: base.suitePack,
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
  packOf: ({ rules }) => identityOf(rules.evalPacks.installed),
  describe: {
    title: 'Eval run',
    noun: 'eval run',
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

type CasesOrdered = Pick<RunOrder, 'maxPromptTokens' | 'suitePack'> & { readonly cases: number };

function fresh({ rules }: AgentCtx, { runSize, maxPromptTokens }: RedemptionInput): CasesOrdered {
  return { cases: runSize, maxPromptTokens, suitePack: identityOf(rules.evalPacks.installed) };
}

/** @throws DomainError suite_version_mismatch */
function again(ctx: AgentCtx, run: RunRow): CasesOrdered {
  const { runSize, repeat, maxPromptTokens, suitePack } = run;
  if (suiteOfRun(ctx, run) !== null) return { cases: runSize / repeat, maxPromptTokens, suitePack };
  throw new DomainError(
    'suite_version_mismatch',
    `Run ${run.id} used a private pack that the hub no longer has.`,
    { hint: 'Redeem a new run, and replay that.' },
  );
}

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
    suitePack: null,
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
