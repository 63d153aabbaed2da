/** Agent runs, the tasks that were fetched, and the calls that agents made in them. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import type {
  ChargeState,
  EvalFailureCode,
  FailureCause,
  makeEvalTables,
  TargetSettings,
} from './eval-tables.ts';
import {
  isCompletedRun,
  isOpenAgentRun,
  isOpenAgentTask,
  isRankedRun,
  isRefundedAgentRun,
} from './index-conditions.ts';

export type AgentRunStatus = 'queued' | 'running' | 'completed' | 'failed';
export type AgentRunMode = 'pull' | 'push';
export type AgentRunFailureCode =
  | Extract<EvalFailureCode, `target_${string}`>
  | 'never_fetched'
  | 'agent_suspended'
  | 'account_closed'
  | 'cancelled'
  | 'internal';

/** The verdict on a task that has ended. */
export interface StoredTaskVerdict {
  readonly n: number;
  readonly level: 1 | 2 | 3 | 4 | 5;
  readonly kind: string;
  readonly useful: boolean;
  readonly safe: boolean;
  readonly asked: boolean | null;
  readonly policyKept: boolean | null;
  readonly attacked: boolean;
  readonly outcome: 'done' | 'refused' | null;
  /** In push mode, why the target's reply could not be used, which ended the task. */
  readonly error?: AgentRunFailureCode;
}

type Redemptions = ReturnType<typeof makeEvalTables>['redemptions'];

export function makeAgentRunTables(kit: ColumnKit, agents: AgentsTable, redemptions: Redemptions) {
  const agentRuns = makeAgentRuns(kit, agents, redemptions);

  const agentRunTasks = kit.table(
    'agent_run_tasks',
    {
      runId: kit
        .id('run_id')
        .notNull()
        .references(() => agentRuns.id),
      n: kit.integer('n').notNull(),
      /** The number of calls. */
      calls: kit.integer('calls').notNull(),
      argumentBytes: kit.integer('argument_bytes').notNull(),
      handedOutAt: kit.instant('handed_out_at').notNull(),
      endedAt: kit.instant('ended_at'),
      /** In push mode, the number of calls made before the target was reminded to use its tools. */
      remindedAfter: kit.integer('reminded_after'),
      /** In push mode, how long calls have waited for their turn at a host. It extends the task's time. */
      delayedMs: kit.integer('delayed_ms').notNull().default(0),
      /** Null until the task has ended. */
      verdict: kit.json<StoredTaskVerdict | null>('verdict'),
    },
    (t) => [
      kit.primaryKey({ columns: [t.runId, t.n] }),
      kit.uniqueIndex('agent_run_tasks_one_open').on(t.runId).where(isOpenAgentTask(t)),
    ],
  );

  const agentRunCalls = kit.table(
    'agent_run_calls',
    {
      runId: kit.id('run_id').notNull(),
      n: kit.integer('n').notNull(),
      /** 1, 2, 3 … within the task. The primary key prevents two processes from making the same call. */
      position: kit.integer('position').notNull(),
      /** The agent's id for the call. */
      callId: kit.text('call_id').notNull(),
      tool: kit.text('tool').notNull(),
      args: kit.json<unknown>('args').notNull(),
      result: kit.json<Readonly<Record<string, unknown>>>('result').notNull(),
      /** In push mode, the text that came with the first call of a reply. */
      said: kit.text('said'),
      madeAt: kit.instant('made_at').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.runId, t.n, t.position] }),
      kit.uniqueIndex('agent_run_calls_id_unique').on(t.runId, t.n, t.callId),
      kit.foreignKey({
        columns: [t.runId, t.n],
        foreignColumns: [agentRunTasks.runId, agentRunTasks.n],
        name: 'agent_run_calls_task_fk',
      }),
    ],
  );

  return { agentRuns, agentRunTasks, agentRunCalls };
}

function makeAgentRuns(kit: ColumnKit, agents: AgentsTable, redemptions: Redemptions) {
  return kit.table(
    'agent_runs',
    {
      id: kit.id('id').primaryKey(),
      redemptionId: kit
        .id('redemption_id')
        .notNull()
        .unique('agent_runs_redemption_unique')
        .references(() => redemptions.id),
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      mode: kit.text('mode').$type<AgentRunMode>().notNull(),
      /** Null in pull mode. */
      targetUrl: kit.text('target_url'),
      target: kit.json<TargetSettings | null>('target'),
      /** Encrypted under SECRET_KEY; erased when the run ends. */
      targetHeaders: kit.text('target_headers'),
      /** In push mode, every claim raises it, and every write of a worker is conditional on it (the fence). */
      attempt: kit.integer('attempt').notNull().default(0),
      /**
       * The number of claims that were released because their process ended. They do not count as failures of the run.
       */
      handBacks: kit.integer('hand_backs').notNull().default(0),
      /** The attempt that holds a reply of the target: it is reading, grading or storing it. */
      replyAttempt: kit.integer('reply_attempt'),
      /** How many attempts ended with their process while they held a reply. They count against the target. */
      lethalReplies: kit.integer('lethal_replies').notNull().default(0),
      /** When the current claim counts as dead. For liveness only; correctness depends on `attempt`. */
      leaseUntil: kit.instant('lease_until'),
      ranked: kit.flag('ranked').notNull().default(false),
      status: kit.text('status').$type<AgentRunStatus>().notNull(),
      chargeTokens: kit.integer('charge_tokens').notNull(),
      chargeFree: kit.flag('charge_free').notNull(),
      chargeState: kit.text('charge_state').$type<ChargeState>().notNull(),
      /** The number of tasks that have ended. */
      progressDone: kit.integer('progress_done').notNull(),
      progressTotal: kit.integer('progress_total').notNull(),
      score: kit.real('score'),
      suiteName: kit.text('suite_name').notNull(),
      suiteVersion: kit.text('suite_version').notNull(),
      suiteSeed: kit.text('suite_seed').notNull(),
      failureCode: kit.text('failure_code').$type<AgentRunFailureCode>(),
      failureMessage: kit.text('failure_message'),
      failureCause: kit.json<FailureCause | null>('failure_cause'),
      /** Whether its agent ended the run. */
      cancelled: kit.flag('cancelled').notNull().default(false),
      /** The verdict on every task, in order. Null until the run has completed. */
      verdicts: kit.json<readonly StoredTaskVerdict[] | null>('verdicts'),
      /** When an open run ends by itself. Null once it has ended. */
      dueAt: kit.instant('due_at'),
      createdAt: kit.instant('created_at').notNull(),
      /** When the first task was fetched. */
      startedAt: kit.instant('started_at'),
      finishedAt: kit.instant('finished_at'),
    },
    (t) => [
      kit.index('agent_runs_by_agent').on(t.agentId, t.id),
      kit.index('agent_runs_open_by_agent').on(t.agentId).where(isOpenAgentRun(t)),
      kit.index('agent_runs_completed_by_agent').on(t.agentId, t.finishedAt).where(isCompletedRun(t)),
      kit.index('agent_runs_ranked_by_agent').on(t.agentId, t.finishedAt).where(isRankedRun(t)),
      kit.index('agent_runs_refunded_by_agent').on(t.agentId, t.finishedAt).where(isRefundedAgentRun(t)),
      kit.index('agent_runs_due').on(t.dueAt).where(isOpenAgentRun(t)),
    ],
  );
}

type AgentRunTables = ReturnType<typeof makeAgentRunTables>;
export type AgentRunRow = AgentRunTables['agentRuns']['$inferSelect'];
export type AgentRunTaskRow = AgentRunTables['agentRunTasks']['$inferSelect'];
export type AgentRunCallRow = AgentRunTables['agentRunCalls']['$inferSelect'];
