/** Redemptions, the runs that they start, and what is graded in a run. */
import { isNotNull, sql } from 'drizzle-orm';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { RunEffort } from '#evals/run-figures.ts';
import type { LatencySummary } from '#evals/latency-summary.ts';
import type { TokenUsage } from '#evals/token-usage.ts';
import type { Step, WorldMessage } from '#evals/worlds/world.ts';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import {
  isCompletedRun,
  isOpenRun,
  isRankedRun,
  isRefundedRun,
  isRunningRun,
  isUnjudged,
} from './index-conditions.ts';

export const runStatuses = ['queued', 'running', 'completed', 'failed'] as const;
export type RunStatus = (typeof runStatuses)[number];
export const chargeStates = ['held', 'consumed', 'refunded'] as const;
export type ChargeState = (typeof chargeStates)[number];
/** Of an eval run, which the hub grades itself. */
export const evalRunFailureCodes = [
  'target_unreachable',
  'target_timeout',
  'target_bad_status',
  'target_bad_response',
  'target_too_large',
  'target_blocked',
  'deadline_exceeded',
  'no_reply',
  'agent_suspended',
  'account_closed',
  'cancelled',
  'internal',
] as const;
export const runFailureCodes = [...evalRunFailureCodes, 'ungraded'] as const;
export type RunFailureCode = (typeof runFailureCodes)[number];

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
  /** A name in the registry of `domain/targets/`. */
  protocol: string;
  model: string | null;
  concurrency: number;
  /** Null for the hub's default. */
  timeout_s: number | null;
  header_names: readonly string[];
}

/** The estimates of a completed run. */
export interface RunEstimate {
  interval: { low: number; high: number };
  /** Of products with tools. */
  effort?: RunEffort;
}

/** Some cases of a suite version. */
export interface ChosenPlaces {
  /** The number of cases of the version. */
  readonly of: number;
  /** The cases that are asked, by their place in the version, in order. */
  readonly places: readonly number[];
  /** How they were chosen; absent if that depends on earlier runs. */
  readonly by?: string;
  /** Of a regraded run: the first ids of the others, if its agent may read them. */
  readonly others?: readonly string[];
}

/** Recognises a repetition of the answer that ended an item in pull mode, which gets the same messages. */
export interface LastAnswer {
  readonly mark: string;
  readonly messages: readonly WorldMessage[];
}

export function makeRunTables(kit: ColumnKit, agents: AgentsTable) {
  const runs = makeRuns(kit, agents);
  return { runs, ...makeItems(kit, runs) };
}

function makeRuns(kit: ColumnKit, agents: AgentsTable) {
  return kit.table(
    'runs',
    {
      id: kit.id('id').primaryKey(),
      /** The reference of the charge in the ledger. */
      redemptionId: kit.id('redemption_id').notNull().unique('runs_redemption_unique'),
      agentId: kit.auditedReference('agent_id', () => agents.id),
      product: kit.text('product').notNull(),
      /** In pull mode the agent fetches the items itself. */
      mode: kit.text('mode').$type<'push' | 'pull'>().notNull(),
      /** Null in pull mode, with `target` and the headers. */
      targetUrl: kit.text('target_url'),
      target: kit.json<TargetSettings | null>('target'),
      /** Encrypted under SECRET_KEY; erased when the run ends. */
      targetHeaders: kit.text('target_headers'),
      /** The number of its items. */
      runSize: kit.integer('size').notNull(),
      /** Null if the product has no limit for its prompts. */
      maxPromptTokens: kit.integer('max_prompt_tokens'),
      ranked: kit.flag('ranked').notNull().default(false),
      /** Whether the host of the target names the agent in its consent. */
      hostNamed: kit.flag('host_named').notNull().default(false),
      status: kit.text('status').$type<RunStatus>().notNull(),
      chargeTokens: kit.integer('charge_tokens').notNull(),
      chargeFree: kit.flag('charge_free').notNull(),
      chargeState: kit.text('charge_state').$type<ChargeState>().notNull(),
      /** Every claim raises it. Every write of a worker names the attempt that it belongs to (the fence). */
      attempt: kit.integer('attempt').notNull().default(0),
      /** How many claims were released because their process ended. They do not count as failures of the run. */
      releases: kit.integer('releases').notNull().default(0),
      /** How long calls have waited for their turn at a host that has not agreed to them. It extends the deadline. */
      delayedMs: kit.integer('delayed_ms').notNull().default(0),
      /** Calls to its target, with retries. */
      calls: kit.integer('calls').notNull().default(0),
      /** When the current claim counts as dead. For liveness only; correctness depends on `attempt`. */
      leaseUntil: kit.instant('lease_until'),
      /** The number of items that have ended. */
      progressDone: kit.integer('progress_done').notNull(),
      progressTotal: kit.integer('progress_total').notNull(),
      score: kit.real('score'),
      suiteName: kit.text('suite_name').notNull(),
      suiteVersion: kit.text('suite_version').notNull(),
      suiteSeed: kit.text('suite_seed').notNull(),
      /** The run whose items this one asks again. */
      replayOf: kit.id('replay_of'),
      /** Whether its seed was chosen or is that of an earlier run, so that the agent may have known the items. */
      seedGiven: kit.flag('seed_given').notNull().default(false),
      /** The run whose stored replies this one grades again. */
      regradedFrom: kit.id('regraded_from'),
      /** The published suite and its version, which outlive neither their erasure nor that of the owner's account. */
      suiteId: kit.id('suite_id'),
      suiteVersionId: kit.id('suite_version_id'),
      /** Every case is an item this many times. */
      trials: kit.integer('trials').notNull().default(1),
      /** Which cases of the suite version it asks, by their places; null for all. */
      only: kit.json<ChosenPlaces | null>('only'),
      /** Whether the owner of the suite may read the replies. */
      shareReplies: kit.flag('share_replies').notNull().default(false),
      /** The agent's own name for the run, such as a branch. */
      label: kit.text('label'),
      /** The number of different cases that the agent was shown, kept when the items are deleted. */
      casesSeen: kit.integer('cases_seen'),
      /** Null until the run has completed. */
      estimate: kit.json<RunEstimate | null>('estimate'),
      failureCode: kit.text('failure_code').$type<RunFailureCode>(),
      failureMessage: kit.text('failure_message'),
      failureCause: kit.json<FailureCause | null>('failure_cause'),
      /** Whether its agent ended the run. */
      cancelled: kit.flag('cancelled').notNull().default(false),
      latency: kit.json<LatencySummary | null>('latency'),
      /** The sum over the items so far; null if no tokens were reported. */
      usage: kit.json<TokenUsage | null>('usage'),
      /** How long it may take from its first item; null for what runs of its size may take. */
      limitSeconds: kit.integer('limit_s'),
      /** When an open run ends by itself. Null once it has ended. */
      dueAt: kit.instant('due_at'),
      createdAt: kit.instant('created_at').notNull(),
      startedAt: kit.instant('started_at'),
      finishedAt: kit.instant('finished_at'),
      /** When a maintainer struck it off: it does not count for the leaderboard, and has no credential. */
      struckAt: kit.instant('struck_at'),
      /** When the items were deleted at the end of their retention period. */
      itemsPrunedAt: kit.instant('items_pruned_at'),
    },
    (t) => [
      kit.index('runs_by_agent').on(t.agentId, t.id),
      kit.index('runs_open_by_agent').on(t.agentId).where(isOpenRun(t)),
      kit.index('runs_by_suite_name').on(t.agentId, t.product, t.suiteName, t.id),
      kit.index('runs_completed_by_agent').on(t.agentId, t.product, t.id).where(isCompletedRun(t)),
      kit.index('runs_ranked_by_agent').on(t.agentId, t.finishedAt).where(isRankedRun(t)),
      kit.index('runs_refunded_by_agent').on(t.agentId, t.finishedAt).where(isRefundedRun(t)),
      kit
        .index('runs_with_items')
        .on(t.finishedAt, t.failureCode)
        .where(sql`${t.finishedAt} is not null and ${t.itemsPrunedAt} is null`),
      kit.index('runs_running').on(t.startedAt).where(isRunningRun(t)),
      kit.index('runs_due').on(t.dueAt).where(isOpenRun(t)),
      kit.index('runs_by_suite').on(t.suiteId, t.id).where(isNotNull(t.suiteId)),
      kit.index('runs_by_label').on(t.agentId, t.label, t.id).where(isNotNull(t.label)),
    ],
  );
}

export type RunsTable = ReturnType<typeof makeRuns>;

function makeItems(kit: ColumnKit, runs: RunsTable) {
  const runItems = kit.table(
    'run_items',
    {
      runId: kit.reference('run_id', () => runs.id),
      itemIndex: kit.integer('item_index').notNull(),
      /**
       * 1, 2, 3 … in the order in which the items were stored, for the progress stream; below 0 for those that the run
       * ended before.
       */
      position: kit.integer('position').notNull(),
      result: kit.json<StoredTrial>('result').notNull(),
      /** The score, from 0 to 1, from which later items are planned. */
      share: kit.real('share').notNull(),
      /** Whether its reply waits for a judge of the runner. */
      unjudged: kit.flag('unjudged').notNull().default(false),
      /** Null if no answer ended the item. */
      lastAnswer: kit.json<LastAnswer | null>('last_answer'),
      finishedAt: kit.instant('finished_at').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.runId, t.itemIndex] }),
      kit.uniqueIndex('run_items_position_unique').on(t.runId, t.position),
      kit.index('run_items_unjudged').on(t.runId, t.itemIndex).where(isUnjudged(t)),
    ],
  );

  /**
   * Items whose conversation goes on: in pull mode those that are leased, in push mode those with more than one step.
   */
  const runLeases = kit.table(
    'run_leases',
    {
      runId: kit.reference('run_id', () => runs.id),
      itemIndex: kit.integer('item_index').notNull(),
      /** The name that the agent gave the part of itself that holds the lease. */
      worker: kit.text('worker').notNull().default('main'),
      /** The lease of the current step: 1, or 2 after the first one has expired. Leases of vanished workers do not count. */
      times: kit.integer('times').notNull(),
      /** The most repeated leases of an earlier step. */
      retries: kit.integer('retries').notNull().default(0),
      handedOutAt: kit.instant('handed_out_at').notNull(),
      expiresAt: kit.instant('expires_at').notNull(),
      /** Whether the worker renews the lease while it works, so that a lease that ends means that the worker has vanished. */
      renewed: kit.flag('renewed').notNull().default(false),
      /** What the agent has said so far. */
      steps: kit.json<readonly Step[]>('steps').notNull(),
      /** The total over the steps so far. */
      latencyMs: kit.integer('latency_ms').notNull(),
      /** The total over the steps so far; null if no tokens were reported. */
      usage: kit.json<TokenUsage | null>('usage'),
      /** How the target names the conversation, in push mode. */
      contextId: kit.text('context_id'),
    },
    (t) => [kit.primaryKey({ columns: [t.runId, t.itemIndex] })],
  );

  const runScorecards = kit.table('run_scorecards', {
    runId: kit.reference('run_id', () => runs.id).primaryKey(),
    scoreJson: kit.json<Record<string, unknown>>('score_json').notNull(),
    /** How often verdicts have changed since the run completed. */
    changes: kit.integer('changes').notNull().default(0),
  });

  return { runItems, runLeases, runScorecards };
}

type RunTables = ReturnType<typeof makeRunTables>;
export type RunRow = RunTables['runs']['$inferSelect'];
export type LeaseRow = RunTables['runLeases']['$inferSelect'];
