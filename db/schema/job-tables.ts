/** Work promised in a transaction, and the responses kept for repeated requests. */
import { isNotNull, isNull } from 'drizzle-orm';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeJobTables(kit: ColumnKit, agents: AgentsTable) {
  const jobs = kit.table(
    'jobs',
    {
      id: kit.id('id').primaryKey(),
      kind: kit.text('kind').notNull(),
      payload: kit.json<unknown>('payload').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      /** The earliest time to run the job. */
      runAt: kit.instant('run_at').notNull(),
      /**
       * When the row was last published to the queue, or was about to be. Never null, because the outbox relay relies
       * on it.
       */
      publishedAt: kit.instant('published_at').notNull(),
      /** Set by the commit that does the work. Null while the job is open. */
      closedAt: kit.instant('closed_at'),
    },
    (t) => [
      kit.index('jobs_open').on(t.publishedAt, t.id).where(isNull(t.closedAt)),
      // For the number and age of jobs that wait in a queue.
      kit.index('jobs_open_by_kind').on(t.kind, t.runAt).where(isNull(t.closedAt)),
      kit.index('jobs_closed').on(t.closedAt).where(isNotNull(t.closedAt)),
    ],
  );

  const idempotencyKeys = kit.table(
    'idempotency_keys',
    {
      agentId: kit.reference('agent_id', () => agents.id),
      route: kit.text('route').notNull(),
      key: kit.text('key').notNull(),
      requestHash: kit.text('request_hash').notNull(),
      /** Identifies the request that holds the key. Only that request may store the response (the fence). */
      claimId: kit.id('claim_id').notNull(),
      claimedUntil: kit.instant('claimed_until').notNull(),
      /** Null while the first request is running. */
      status: kit.integer('status'),
      body: kit.json<unknown>('body'),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.agentId, t.route, t.key] }),
      kit.index('idempotency_keys_by_age').on(t.createdAt),
    ],
  );

  return { jobs, idempotencyKeys };
}
