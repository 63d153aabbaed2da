/** What maintainers see of the hub: waiting decisions, queues, the audit. */
import { count, eq, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { prepareOnce } from '#db/prepared.ts';
import { type Freeze, readFreeze } from '#db/transaction.ts';
import { isPendingRequest } from '#db/schema/index-conditions.ts';
import type { RequestKind } from '#db/schema/request-tables.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { auditHub, type AuditResult } from '../audit/audit-hub.ts';
import { type BackupState, readBackupState } from '../backups/claim-backup.ts';
import type { AgentCtx } from '../context.ts';
import { queueNames } from '../jobs/job-kinds.ts';
import { type QueueBacklog, readQueueBacklog } from '../jobs/read-queue-backlog.ts';

/** A longer queue is not counted to its end. */
export const waitingCountedMax = 100;

/** Each is at most {@link waitingCountedMax}. */
interface Waiting {
  readonly reports: number;
  readonly verifications: number;
  readonly tokenRequests: number;
  readonly emails: number;
}

/**
 * How much is waiting for a maintainer.
 * @throws DomainError maintainer_only
 */
export async function countWaiting(ctx: AgentCtx): Promise<Waiting> {
  requireMaintainer(ctx);
  const rows = await selectWaiting(ctx.db).execute();
  // Each queue has a row.
  return Object.fromEntries(rows.map(({ queue, waiting }) => [queue, waiting])) as unknown as Waiting;
}

const selectWaiting = prepareOnce((db) => {
  const { inboxEmails, reports, requests } = db.tables;
  const pending = (kind: RequestKind) => sql`${requests.kind} = ${kind} and ${isPendingRequest(requests)}`;
  return unionAll(
    counted(db, 'reports', reports, eq(reports.status, 'open')),
    counted(db, 'verifications', requests, pending('verification')),
    counted(db, 'tokenRequests', requests, pending('tokens')),
    counted(db, 'emails', inboxEmails, eq(inboxEmails.status, 'new')),
  ).prepare('count_waiting');
});

type Queue = Database['tables']['reports' | 'requests' | 'inboxEmails'];

function counted({ query }: Database, name: keyof Waiting, table: Queue, isWaiting: SQL) {
  const waiting = query
    .select({ id: table.id })
    .from(table)
    .where(isWaiting)
    .limit(waitingCountedMax)
    .as('waiting');
  // Without its type, Postgres could not tell what kind of value the name is.
  return query
    .select({ queue: sql<keyof Waiting>`cast(${name} as text)`.as('queue'), waiting: count() })
    .from(waiting);
}

/** According to the rows of jobs. */
export interface QueueHealth extends QueueBacklog {
  readonly name: string;
}

/**
 * The pending work in each queue, for maintainers.
 * @throws DomainError maintainer_only
 */
export async function readHealth(ctx: AgentCtx): Promise<readonly QueueHealth[]> {
  requireMaintainer(ctx);
  return Promise.all(
    queueNames.map(async (name) => ({ name, ...(await readQueueBacklog(ctx, name, null)) })),
  );
}

/**
 * Audits the hub's totals, for maintainers.
 * @throws DomainError maintainer_only
 */
export function readAudit(ctx: AgentCtx): Promise<readonly AuditResult[]> {
  requireMaintainer(ctx);
  return auditHub(ctx);
}

export interface OperationState {
  /** Null while the hub is not frozen. */
  readonly freeze: Freeze | null;
  readonly backups: BackupState;
}

/**
 * Whether the hub is frozen, and how its last scheduled backups ended, for maintainers.
 * @throws DomainError maintainer_only
 */
export async function readOperation(ctx: AgentCtx): Promise<OperationState> {
  requireMaintainer(ctx);
  const [freeze, backups] = await Promise.all([readFreeze(ctx.db), readBackupState(ctx)]);
  return { freeze, backups };
}
