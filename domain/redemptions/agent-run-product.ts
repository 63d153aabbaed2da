/** The product `agent-run`: its price, its order and its rows. */
import { insertStatement } from '#db/insert-statement.ts';
import type { RunRow, TargetSettings } from '#db/schema/run-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { agentRunFetchMs, worldName, worldVersion } from '../agent-runs/agent-run.ts';
import { DomainError } from '../errors.ts';
import { newSeed } from '#evals/suite/new-seed.ts';
import { taskCount } from '#evals/office/make-tasks.ts';
import { enqueueAllAtCommit } from '../jobs/enqueue.ts';
import { whyRankedOrSlow } from './eval-run-product.ts';
import type { Product } from './product.ts';
import { readTarget } from './read-target.ts';
import type { RedemptionInput } from './redemption-input.ts';
import { operation } from '../operation.ts';

export interface AgentRunOrder {
  /** Null in pull mode, with `target` and the headers. */
  readonly targetUrl: string | null;
  readonly target: TargetSettings | null;
  /** Encrypted. */
  readonly targetHeaders: string | null;
  readonly cost: number;
  readonly ranked: boolean;
}

const insertAgentRuns = insertStatement('runs');

export const agentRunProduct: Product<AgentRunOrder, RunRow> = {
  name: 'agent-run',
  reason: 'Agent run',
  freeRunField: 'freeAgentRunRedemptionId',
  readOrder: (ctx, input) => {
    refuseEvalOptions(input);
    requireTools(input);
    const { targetUrl, target, targetHeaders } = readTarget(ctx, input);
    return {
      targetUrl,
      // Tasks run one after the other.
      target: target === null ? null : { ...target, concurrency: 1 },
      targetHeaders,
      cost: ctx.rules.agentRunCostTokens,
      ranked: input.ranked,
    };
  },
  costOf: ({ cost }) => cost,
  whyNotFree: ({ target, ranked }) => whyRankedOrSlow(ranked, target),
  targetUrlOf: ({ targetUrl }) => targetUrl,
  runOf: ({ targetUrl, target, targetHeaders, ranked }, { id, agentId, cost, free, createdAt }) => ({
    id: createId(createdAt),
    redemptionId: id,
    agentId,
    product: 'agent-run',
    mode: targetUrl === null ? 'pull' : 'push',
    targetUrl,
    target,
    targetHeaders,
    runSize: taskCount,
    maxPromptTokens: null,
    attempt: 0,
    releases: 0,
    replyAttempt: null,
    lethalReplies: 0,
    delayedMs: 0,
    leaseUntil: null,
    ranked,
    status: 'queued',
    chargeTokens: cost,
    chargeFree: free,
    chargeState: 'held',
    progressDone: 0,
    progressTotal: taskCount,
    score: null,
    suiteName: worldName,
    suiteVersion: worldVersion,
    suiteSeed: newSeed(),
    suitePack: null,
    estimate: null,
    latency: null,
    failureCode: null,
    failureMessage: null,
    failureCause: null,
    cancelled: false,
    verdicts: null,
    dueAt: new Date(createdAt.getTime() + agentRunFetchMs),
    createdAt,
    startedAt: null,
    finishedAt: null,
    itemsPrunedAt: null,
  }),
  addRunsAtCommit: (ctx, runs) => {
    const pushed = runs.filter(({ run }) => run.mode === 'push');
    const payloads = pushed.map(({ run, cause }) => ({ runId: run.id, cause }));
    insertAgentRuns.atCommit(
      ctx.db,
      runs.map(({ run }) => run),
    );
    enqueueAllAtCommit(ctx, 'run', payloads);
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

/** The only protocol with tools. */
function requireTools({ target, targetUrl }: RedemptionInput): void {
  if (targetUrl === null && (target === null || target.protocol === 'openai-chat')) return;
  throw new DomainError('invalid_body', 'The target of an `agent-run` must use the protocol `openai-chat`.', {
    hint: `Send \`target\` with \`"protocol": "openai-chat"\`, and reply with \`tool_calls\`; or send no target, and fetch the tasks from ${operation('getAgentRunsByIdTasksNext')}.`,
  });
}
