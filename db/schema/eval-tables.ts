/** Redemptions, the eval jobs they start, the graded cases, and the scorecards. */
import { sql } from 'drizzle-orm';
import type { LatencySummary, StoredCase } from '#evals/suite/stored-case.ts';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import {
  isCompletedRun,
  isOpenEvalJob,
  isRankedRun,
  isRefundedEvalJob,
  isRunningEvalJob,
} from './index-conditions.ts';

export type EvalJobStatus = 'queued' | 'running' | 'completed' | 'failed';
export type ChargeState = 'held' | 'consumed' | 'refunded';
export type EvalFailureCode =
  | 'target_unreachable'
  | 'target_timeout'
  | 'target_bad_status'
  | 'target_bad_response'
  | 'target_too_large'
  | 'target_blocked'
  | 'deadline_exceeded'
  | 'agent_suspended'
  | 'account_closed'
  | 'cancelled'
  | 'internal';

/** Why a run failed, for its owner only. */
export interface FailureCause {
  /** The last HTTP status; null if there was no response. */
  status: number | null;
  connection: 'dns' | 'refused' | 'tls' | 'timeout' | null;
  /** The beginning of a reply that could not be read. */
  excerpt: string | null;
  expected: string | null;
}

/** How to call a run's target. The field names are those of the API. */
export interface TargetSettings {
  protocol: 'hub' | 'openai-chat';
  model: string | null;
  concurrency: number;
  /** Null for the hub's default. */
  timeout_s: number | null;
  header_names: readonly string[];
}

/** The estimates of a completed run. Ability and the standard errors are for comparisons. */
export interface RunEstimate {
  ability: number;
  se: number;
  score_se: number;
  range: { low: number; high: number };
  level: { value: number; se: number };
  interval: { low: number; high: number };
}

export function makeEvalTables(kit: ColumnKit, agents: AgentsTable) {
  const redemptions = kit.table(
    'redemptions',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.auditedReference('agent_id', () => agents.id),
      product: kit.text('product').notNull(),
      targetUrl: kit.text('target_url').notNull(),
      cost: kit.integer('cost').notNull(),
      free: kit.flag('free').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [kit.index('redemptions_by_agent').on(t.agentId, t.id)],
  );

  const evalJobs = kit.table(
    'eval_jobs',
    {
      id: kit.id('id').primaryKey(),
      redemptionId: kit
        .auditedReference('redemption_id', () => redemptions.id)
        .unique('eval_jobs_redemption_unique'),
      agentId: kit.auditedReference('agent_id', () => agents.id),
      product: kit.text('product').notNull(),
      targetUrl: kit.text('target_url').notNull(),
      /** In pull mode the agent fetches the cases itself, and `targetUrl` is empty. */
      mode: kit.text('mode').$type<'push' | 'pull'>().notNull().default('push'),
      /** Null in pull mode, and in runs of earlier versions. */
      target: kit.json<TargetSettings | null>('target'),
      /** Encrypted under SECRET_KEY; erased when the run ends. */
      targetHeaders: kit.text('target_headers'),
      runSize: kit.integer('run_size').notNull().default(40),
      maxPromptTokens: kit.integer('max_prompt_tokens').notNull().default(32_000),
      ranked: kit.flag('ranked').notNull().default(false),
      status: kit.text('status').$type<EvalJobStatus>().notNull(),
      chargeTokens: kit.integer('charge_tokens').notNull(),
      chargeFree: kit.flag('charge_free').notNull(),
      chargeState: kit.text('charge_state').$type<ChargeState>().notNull(),
      /** Every claim raises it. A settlement must name the attempt it belongs to (the fence). */
      attempt: kit.integer('attempt').notNull(),
      /** How many claims ended with their process. They do not count as failures of the run. */
      handBacks: kit.integer('hand_backs').notNull().default(0),
      /** The attempt that holds a reply of the target: it is reading, grading or storing it. */
      replyAttempt: kit.integer('reply_attempt'),
      /** How many attempts ended with their process while they held a reply. They count against the target. */
      lethalReplies: kit.integer('lethal_replies').notNull().default(0),
      /** How long calls have waited for their turn at a host that has not agreed to them. It extends the deadline. */
      delayedMs: kit.integer('delayed_ms').notNull().default(0),
      /** When the current claim counts as dead. For liveness only; correctness depends on `attempt`. */
      leaseUntil: kit.instant('lease_until'),
      progressDone: kit.integer('progress_done').notNull(),
      progressTotal: kit.integer('progress_total').notNull(),
      score: kit.real('score'),
      suiteName: kit.text('suite_name').notNull(),
      suiteVersion: kit.text('suite_version').notNull(),
      suiteSeed: kit.text('suite_seed').notNull(),
      /** The private pack that some of the cases come from. */
      suitePack: kit.json<{ name: string; hash: string } | null>('suite_pack'),
      /** Null until the run has completed. */
      estimate: kit.json<RunEstimate | null>('estimate'),
      failureCode: kit.text('failure_code').$type<EvalFailureCode>(),
      failureMessage: kit.text('failure_message'),
      failureCause: kit.json<FailureCause | null>('failure_cause'),
      /** Whether its agent ended the run. */
      cancelled: kit.flag('cancelled').notNull().default(false),
      latency: kit.json<LatencySummary | null>('latency'),
      createdAt: kit.instant('created_at').notNull(),
      startedAt: kit.instant('started_at'),
      finishedAt: kit.instant('finished_at'),
      /** When the cases were deleted at the end of their retention period. */
      casesPrunedAt: kit.instant('cases_pruned_at'),
    },
    (t) => [
      kit.index('eval_jobs_by_agent').on(t.agentId, t.id),
      kit.index('eval_jobs_open_by_agent').on(t.agentId).where(isOpenEvalJob(t)),
      kit.index('eval_jobs_completed_by_agent').on(t.agentId, t.finishedAt).where(isCompletedRun(t)),
      kit.index('eval_jobs_ranked_by_agent').on(t.agentId, t.finishedAt).where(isRankedRun(t)),
      kit.index('eval_jobs_refunded_by_agent').on(t.agentId, t.finishedAt).where(isRefundedEvalJob(t)),
      kit
        .index('eval_jobs_with_cases')
        .on(t.finishedAt)
        .where(sql`${t.finishedAt} is not null and ${t.casesPrunedAt} is null`),
      kit.index('eval_jobs_running').on(t.startedAt).where(isRunningEvalJob(t)),
    ],
  );

  const evalCases = kit.table(
    'eval_cases',
    {
      jobId: kit
        .id('job_id')
        .notNull()
        .references(() => evalJobs.id),
      caseIndex: kit.integer('case_index').notNull(),
      /** 1, 2, 3 … in the order in which the cases were stored. The progress stream uses it. */
      position: kit.integer('position').notNull(),
      result: kit.json<StoredCase>('result').notNull(),
      /** The score, from 0 to 1, from which later cases are planned. */
      share: kit.real('share'),
      finishedAt: kit.instant('finished_at').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.jobId, t.caseIndex] }),
      kit.uniqueIndex('eval_cases_position_unique').on(t.jobId, t.position),
    ],
  );

  const evalHandOuts = kit.table(
    'eval_hand_outs',
    {
      jobId: kit
        .id('job_id')
        .notNull()
        .references(() => evalJobs.id),
      caseIndex: kit.integer('case_index').notNull(),
      /** The name that the agent gave the part of itself that holds the lease. */
      worker: kit.text('worker').notNull().default('main'),
      /** The lease of the current turn: 1, or 2 after the first one has expired. */
      times: kit.integer('times').notNull(),
      /** The most repeated leases of an earlier turn. */
      retries: kit.integer('retries').notNull().default(0),
      handedOutAt: kit.instant('handed_out_at').notNull(),
      expiresAt: kit.instant('expires_at').notNull(),
      /** The replies to the turns so far. */
      replies: kit.json<readonly string[]>('replies').notNull(),
      /** The total over the turns so far. */
      latencyMs: kit.integer('latency_ms').notNull(),
    },
    (t) => [kit.primaryKey({ columns: [t.jobId, t.caseIndex] })],
  );

  const evalScorecards = kit.table('eval_scorecards', {
    jobId: kit
      .id('job_id')
      .primaryKey()
      .references(() => evalJobs.id),
    /** Empty, like the HTML: both are rendered on request. */
    scoreMd: kit.text('score_md').notNull(),
    scoreHtml: kit.text('score_html').notNull(),
    scoreJson: kit.json<Record<string, unknown>>('score_json').notNull(),
  });

  return { redemptions, evalJobs, evalCases, evalHandOuts, evalScorecards };
}

type EvalTables = ReturnType<typeof makeEvalTables>;
export type RedemptionRow = EvalTables['redemptions']['$inferSelect'];
export type EvalJobRow = EvalTables['evalJobs']['$inferSelect'];
export type HandOutRow = EvalTables['evalHandOuts']['$inferSelect'];
