/** The product `eval-run`: its price, its order and its rows. */
import { insertStatement } from '#db/insert-statement.ts';
import type { RunRow, TargetSettings } from '#db/schema/run-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { newSeed, suiteName, suiteVersion } from '#evals/suite/index.ts';
import { identityOf } from '#evals/suite/packs/pack.ts';
import { enqueueAllAtCommit } from '../jobs/enqueue.ts';
import type { Product } from './product.ts';
import { plainTarget, readTarget } from './read-target.ts';

/** A run of 120 cases costs three times as much as one of 40. */
export const tokensPer40Cases = 1;
/** A run that may wait longer for each reply is never free. */
const freeTimeoutMaxSeconds = 60;

export interface EvalRunOrder {
  /** Null in pull mode, with `target` and the headers. */
  readonly targetUrl: string | null;
  readonly target: TargetSettings | null;
  /** Encrypted. */
  readonly targetHeaders: string | null;
  readonly runSize: 40 | 120;
  readonly maxPromptTokens: number;
  readonly ranked: boolean;
  /** The private pack that some of the cases come from. */
  readonly suitePack: RunRow['suitePack'];
}

const insertEvalJobs = insertStatement('runs');

export const evalRunProduct: Product<EvalRunOrder, RunRow> = {
  name: 'eval-run',
  reason: 'Eval run',
  freeRunField: 'freeEvalRedemptionId',
  readOrder: (ctx, input) => {
    const { runSize, maxPromptTokens, ranked } = input;
    const suitePack = identityOf(ctx.rules.evalPacks.installed);
    return { ...readTarget(ctx, input), runSize, maxPromptTokens, ranked, suitePack };
  },
  costOf: ({ runSize }) => tokensPer40Cases * (runSize / 40),
  whyNotFree: ({ runSize, ranked, target }) =>
    runSize === 40 ? whyRankedOrSlow(ranked, target) : `a run of ${runSize} cases never is`,
  targetUrlOf: ({ targetUrl }) => targetUrl,
  runOf: (order, { id, agentId, product, cost, free, createdAt }) => ({
    ...order,
    id: createId(createdAt),
    redemptionId: id,
    agentId,
    product,
    mode: order.targetUrl === null ? 'pull' : 'push',
    status: 'queued',
    chargeTokens: cost,
    chargeFree: free,
    chargeState: 'held',
    attempt: 0,
    releases: 0,
    replyAttempt: null,
    lethalReplies: 0,
    delayedMs: 0,
    leaseUntil: null,
    progressDone: 0,
    progressTotal: order.runSize,
    score: null,
    suiteName,
    suiteVersion,
    suiteSeed: newSeed(),
    estimate: null,
    failureCode: null,
    failureMessage: null,
    failureCause: null,
    cancelled: false,
    latency: null,
    verdicts: null,
    dueAt: null,
    createdAt,
    startedAt: null,
    finishedAt: null,
    itemsPrunedAt: null,
  }),
  addRunsAtCommit: (ctx, runs) => {
    const pushed = runs.filter(({ run }) => run.mode === 'push');
    const payloads = pushed.map(({ run, cause }) => ({ runId: run.id, cause }));
    insertEvalJobs.atCommit(
      ctx.db,
      runs.map(({ run }) => run),
    );
    enqueueAllAtCommit(ctx, 'run', payloads);
  },
};

/** For products that call targets. */
export function whyRankedOrSlow(ranked: boolean, target: TargetSettings | null): string | null {
  if (ranked) return 'a ranked run never is';
  const timeoutS = target?.timeout_s ?? 0;
  if (timeoutS <= freeTimeoutMaxSeconds) return null;
  return `a run with \`timeout_s\` above ${freeTimeoutMaxSeconds} never is (yours has ${timeoutS})`;
}

/** An order with the defaults, as for a request with only `target_url`; null is pull mode. */
export function plainOrder(targetUrl: string | null): EvalRunOrder {
  return {
    targetUrl,
    target: targetUrl === null ? null : plainTarget,
    targetHeaders: null,
    runSize: 40,
    maxPromptTokens: 32_000,
    ranked: false,
    suitePack: null,
  };
}
