/** The operator's day: what ran and failed, what waits, the store and its backups, and what to do about it. */
import { and, type Column, count, eq, isNull, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { isWithin } from '#db/conditions.ts';
import { readStoreState, type StoreState, whyDiskFills } from '#db/free-space.ts';
import { prepareOnce } from '#db/prepared.ts';
import type { RunFailureCode } from '#db/schema/run-tables.ts';
import { periodNumber } from '#db/within-time.ts';
import { durationOf } from '#runtime/duration-of.ts';
import { findBackupAlert, momentOf } from '../backups/backup-alert.ts';
import type { AgentCtx } from '../context.ts';
import { queueOfKind } from '../jobs/job-kinds.ts';
import { type OperationState, type QueueHealth, readHealth, readOperation } from './hub-state.ts';

const hourMs = 3_600_000;
const hoursShown = 24;

export interface HourOfRuns {
  readonly startsAt: Date;
  readonly completed: number;
  readonly failed: number;
}

export interface QueueOfDay extends QueueHealth {
  /** What ended without success within the day; null for a queue whose work cannot. */
  readonly failed: number | null;
}

/** What needs the operator, and what to type. */
export interface Alert {
  readonly what: string;
  readonly remedy: string;
  readonly commands: readonly string[];
}

export interface OperatorDay extends OperationState {
  readonly now: Date;
  /** Oldest first; the last has not ended. */
  readonly hours: readonly HourOfRuns[];
  /** Why runs failed, the most frequent first. */
  readonly failures: readonly { readonly code: RunFailureCode; readonly runs: number }[];
  readonly queues: readonly QueueOfDay[];
  readonly store: StoreState;
  /** The most urgent first. */
  readonly alerts: readonly Alert[];
}

/**
 * The last 24 hours, for maintainers.
 * @throws DomainError maintainer_only
 */
export async function readOperatorDay(ctx: AgentCtx): Promise<OperatorDay> {
  const now = ctx.clock.now();
  const [operation, queues, runs, failed, store] = await Promise.all([
    readOperation(ctx),
    readHealth(ctx),
    countEndedRuns(ctx, now),
    countFailedWork(ctx, now),
    readStoreState(ctx.db),
  ]);
  const failures = failuresOf(runs);
  failed.set(
    queueOfKind.run,
    failures.reduce((sum, one) => sum + one.runs, 0),
  );
  const day = {
    ...operation,
    now,
    hours: hoursOf(runs, now),
    failures,
    queues: queues.map((queue) => ({ ...queue, failed: failed.get(queue.name) ?? null })),
    store,
  };
  return { ...day, alerts: alertsOf(day) };
}

interface EndedRuns {
  /** Since the epoch. */
  readonly hour: number;
  /** Null for runs that completed. */
  readonly code: RunFailureCode | null;
  readonly runs: number;
}

/** The items of runs are kept for longer than a day, so that the index of runs with items has all of them. */
async function countEndedRuns({ db }: AgentCtx, now: Date): Promise<readonly EndedRuns[]> {
  const firstHour = Math.floor(now.getTime() / hourMs) - hoursShown + 1;
  return selectEndedRuns(db).execute({ since: new Date(firstHour * hourMs - 1), now });
}

const selectEndedRuns = prepareOnce((db) => {
  const { runs } = db.tables;
  const hour = periodNumber(db, runs.finishedAt, { periodMs: hourMs, offsetMs: 0 });
  return db.query
    .select({ hour: sql`${hour}`.mapWith(Number).as('hour'), code: runs.failureCode, runs: count() })
    .from(runs)
    .where(and(isOfDay(runs.finishedAt), isNull(runs.itemsPrunedAt)))
    .groupBy(sql`hour`, runs.failureCode)
    .prepare('count_ended_runs');
});

function isOfDay(column: Column) {
  return isWithin(column, sql.placeholder('since'), sql.placeholder('now'));
}

function hoursOf(ended: readonly EndedRuns[], now: Date): readonly HourOfRuns[] {
  const last = Math.floor(now.getTime() / hourMs);
  return Array.from({ length: hoursShown }, (_, place) => {
    const hour = last - hoursShown + 1 + place;
    const ofHour = ended.filter((one) => one.hour === hour);
    const sum = (isFailed: boolean): number =>
      ofHour.reduce((total, { code, runs }) => total + (isFailure(code) === isFailed ? runs : 0), 0);
    return { startsAt: new Date(hour * hourMs), completed: sum(false), failed: sum(true) };
  });
}

/** A run that its agent cancelled ended as it wished. */
function isFailure(code: RunFailureCode | null): code is RunFailureCode {
  return code !== null && code !== 'cancelled';
}

function failuresOf(ended: readonly EndedRuns[]): OperatorDay['failures'] {
  const runsOf = new Map<RunFailureCode, number>();
  for (const { code, runs } of ended) if (isFailure(code)) runsOf.set(code, (runsOf.get(code) ?? 0) + runs);
  return [...runsOf].map(([code, runs]) => ({ code, runs })).toSorted((one, other) => other.runs - one.runs);
}

async function countFailedWork({ db }: AgentCtx, now: Date) {
  const since = new Date(now.getTime() - hoursShown * hourMs);
  const rows = await selectFailedWork(db).execute({ since, now });
  return new Map(rows.map(({ queue, failed }) => [queue, failed]));
}

const selectFailedWork = prepareOnce(({ query, tables: { mails, webhookDeliveries } }) =>
  unionAll(
    query
      .select({ queue: named(queueOfKind.mail), failed: count() })
      .from(mails)
      .where(and(isOfDay(mails.endedAt), eq(mails.status, 'failed'))),
    query
      .select({ queue: named(queueOfKind['webhook-delivery']), failed: count() })
      .from(webhookDeliveries)
      .where(and(isOfDay(webhookDeliveries.finishedAt), eq(webhookDeliveries.status, 'failed'))),
  ).prepare('count_failed_work'),
);

/** Without its type, Postgres could not tell what kind of value the name is. */
function named(queue: string) {
  return sql<string>`cast(${queue} as text)`.as('queue');
}

/** As in `deploy/alerts.yml`. */
const waitingMaxMs = 5 * 60_000;

function alertsOf(day: Omit<OperatorDay, 'alerts'>): readonly Alert[] {
  const { now, freeze, backups, queues, store, failures } = day;
  const alerts: Alert[] = [];
  if (freeze !== null) {
    const reason = freeze.reason === null ? '' : ` (${freeze.reason})`;
    alerts.push({
      what: `The hub has been frozen since ${momentOf(freeze.frozenAt)}${reason}: nothing is stored.`,
      remedy: 'End the freeze when its reason has passed.',
      commands: ['hub unfreeze'],
    });
  }
  const filling = whyDiskFills(store.free);
  if (filling !== null) {
    alerts.push({
      what: filling,
      remedy:
        'Free some space, or move DATA_DIR to a larger disk. If agents fill it, lower AGENT_MB_PER_DAY in hub.env.',
      commands: ['df -h'],
    });
  }
  const waiting =
    freeze === null ? queues.filter(({ oldestWaitingMs }) => oldestWaitingMs > waitingMaxMs) : [];
  if (waiting.length > 0) {
    const waits = waiting.map(({ name, oldestWaitingMs }) => `in ${name} for ${durationOf(oldestWaitingMs)}`);
    alerts.push({
      what: `Jobs have been waiting ${waits.join(', ')}.`,
      remedy: 'Check whether a queue is paused or has no workers. Resume it, or start more workers.',
      commands: ['hub queues status', `hub queues resume ${waiting.map(({ name }) => name).join(' ')}`],
    });
  }
  const backup = findBackupAlert(backups, now);
  if (backup !== null) alerts.push(backup);
  const internal = failures.find(({ code }) => code === 'internal');
  if (internal !== undefined) {
    const isOne = internal.runs === 1;
    alerts.push({
      what: `${internal.runs} ${isOne ? 'run' : 'runs'} failed because of an internal error, and ${isOne ? 'was' : 'were'} refunded.`,
      remedy: 'The log of the workers says why.',
      commands: [`journalctl -u agent-hub --since '1 day ago' --grep '"level":"error"'`],
    });
  }
  return alerts;
}
