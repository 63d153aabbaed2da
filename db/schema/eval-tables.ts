/** Redemptions, the eval jobs they start, the graded cases, and the scorecards. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import {
  isCompletedEvalJob,
  isOpenEvalJob,
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
  | 'internal';

export interface LatencySummary {
  p50_ms: number;
  p90_ms: number;
  max_ms: number;
}

/** One graded case as the runner stores it and the API shows it. */
export interface StoredCase {
  index: number;
  id: string;
  category: string;
  prompt: string;
  status: 'passed' | 'failed' | 'error';
  score: number;
  weight: number;
  checks: readonly StoredCheck[];
  response_text: string | null;
  error_code: string | null;
  attempts: number;
  latency_ms: number | null;
  difficulty?: 'easy' | 'medium' | 'hard';
}

export interface StoredCheck {
  name: string;
  passed: boolean;
  message: string;
  /** The verdict with outer wrapping forgiven. Absent if it is the same. */
  passed_loose?: boolean;
  /** The check's share of its case. Absent if it is 1. */
  weight?: number;
}

export function makeEvalTables(kit: ColumnKit, agents: AgentsTable) {
  const redemptions = kit.table(
    'redemptions',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
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
        .id('redemption_id')
        .notNull()
        .unique('eval_jobs_redemption_unique')
        .references(() => redemptions.id),
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      product: kit.text('product').notNull(),
      targetUrl: kit.text('target_url').notNull(),
      status: kit.text('status').$type<EvalJobStatus>().notNull(),
      chargeTokens: kit.integer('charge_tokens').notNull(),
      chargeFree: kit.flag('charge_free').notNull(),
      chargeState: kit.text('charge_state').$type<ChargeState>().notNull(),
      /** Every claim raises it. A settlement must name the attempt it belongs to (the fence). */
      attempt: kit.integer('attempt').notNull(),
      /** How many claims ended with their process. They do not count as failures of the run. */
      handBacks: kit.integer('hand_backs').notNull().default(0),
      /** When the current claim counts as dead. Only for liveness: correctness depends on `attempt`. */
      leaseUntil: kit.instant('lease_until'),
      progressDone: kit.integer('progress_done').notNull(),
      progressTotal: kit.integer('progress_total').notNull(),
      score: kit.real('score'),
      suiteName: kit.text('suite_name').notNull(),
      suiteVersion: kit.text('suite_version').notNull(),
      suiteSeed: kit.text('suite_seed').notNull(),
      failureCode: kit.text('failure_code').$type<EvalFailureCode>(),
      failureMessage: kit.text('failure_message'),
      latency: kit.json<LatencySummary | null>('latency'),
      createdAt: kit.instant('created_at').notNull(),
      startedAt: kit.instant('started_at'),
      finishedAt: kit.instant('finished_at'),
    },
    (t) => [
      kit.index('eval_jobs_by_agent').on(t.agentId, t.id),
      kit.index('eval_jobs_open_by_agent').on(t.agentId).where(isOpenEvalJob(t)),
      kit.index('eval_jobs_completed_by_agent').on(t.agentId, t.finishedAt).where(isCompletedEvalJob(t)),
      kit.index('eval_jobs_refunded_by_agent').on(t.agentId, t.finishedAt).where(isRefundedEvalJob(t)),
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
      finishedAt: kit.instant('finished_at').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.jobId, t.caseIndex] }),
      kit.uniqueIndex('eval_cases_position_unique').on(t.jobId, t.position),
    ],
  );

  const evalScorecards = kit.table('eval_scorecards', {
    jobId: kit
      .id('job_id')
      .primaryKey()
      .references(() => evalJobs.id),
    scoreMd: kit.text('score_md').notNull(),
    scoreHtml: kit.text('score_html').notNull(),
    scoreJson: kit.json<Record<string, unknown>>('score_json').notNull(),
  });

  return { redemptions, evalJobs, evalCases, evalScorecards };
}

type EvalTables = ReturnType<typeof makeEvalTables>;
export type RedemptionRow = EvalTables['redemptions']['$inferSelect'];
export type EvalJobRow = EvalTables['evalJobs']['$inferSelect'];
