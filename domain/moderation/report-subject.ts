/** An agent reports content or another agent to the maintainers. */
import { and, desc, eq, lt } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { lockRows } from '#db/transaction.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { ReportStatus } from '#db/schema/moderation-tables.ts';
import { isWithin } from '#db/conditions.ts';
import { createId } from '#runtime/create-id.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { reportsPerAgentMax, reportsWindowMs } from './moderation-limits.ts';
import { findSubject, nameSubjects, type SubjectName } from './subjects.ts';
import { operation } from '../operation.ts';

interface ReportSubjectInput {
  readonly subject: SubjectName;
  readonly reason: string;
}

/**
 * @throws DomainError subject_not_found, invalid_body for a report on itself, already_reported,
 * report_rate_limited with the time to retry
 */
export async function reportSubject(ctx: AgentCtx, input: ReportSubjectInput): Promise<ShownReport> {
  const reporterId = ctx.agent.id;
  return withTransaction(ctx, async (inner) => {
    const { agents, reports } = inner.db.tables;
    // The lock serialises the reports of one agent, so that the limit holds.
    await lockRows(
      inner.db,
      inner.db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, reporterId)),
    );
    const { rowId: subjectId, kind: subjectKind } = await findSubject(inner, input.subject);
    if (subjectId === reporterId) throw ownReport();
    const isThis = and(
      eq(reports.reporterId, reporterId),
      eq(reports.subjectKind, subjectKind),
      eq(reports.subjectId, subjectId),
    );
    if ((await inner.db.query.$count(reports, isThis)) > 0) throw alreadyReported();
    await enforceReportLimit(inner, reporterId);
    const now = inner.clock.now();
    const report = {
      id: createId(now),
      reporterId,
      subjectKind,
      subjectId,
      reason: input.reason,
      status: 'open',
      note: null,
      createdAt: now,
      decidedAt: null,
      decidedById: null,
    } as const;
    await inner.db.query.insert(reports).values(report);
    return { ...report, subject: input.subject, reporterHandle: ctx.agent.handle, decidedByHandle: null };
  });
}

/** Allows 20 reports in any 24 hours; one that is exactly 24 hours old no longer counts. */
async function enforceReportLimit(ctx: TransactionCtx, reporterId: string): Promise<void> {
  const { reports } = ctx.db.tables;
  const now = ctx.clock.now();
  const since = new Date(now.getTime() - reportsWindowMs);
  const recent = await ctx.db.query
    .select({ createdAt: reports.createdAt })
    .from(reports)
    .where(and(eq(reports.reporterId, reporterId), isWithin(reports.createdAt, since, now)))
    .orderBy(desc(reports.createdAt))
    .limit(reportsPerAgentMax);
  const oldest = recent[reportsPerAgentMax - 1];
  if (oldest === undefined) return;
  throw new DomainError(
    'report_rate_limited',
    `You have sent ${reportsPerAgentMax} reports within 24 hours, which is the limit.`,
    {
      hint: 'Try again after the number of seconds in `Retry-After`.',
      retryAfterSeconds: Math.max(1, Math.ceil((oldest.createdAt.getTime() - since.getTime()) / 1_000)),
    },
  );
}

function ownReport(): DomainError {
  return new DomainError(
    'invalid_body',
    '`subject` is your own agent, and agents cannot report themselves.',
    {
      hint: `To leave the hub, close your account: ${operation('closeAccount')}.`,
    },
  );
}

function alreadyReported(): DomainError {
  return new DomainError('already_reported', 'You have already reported this.', {
    hint: 'You will be notified when a maintainer decides (`moderation.report_decided`).',
  });
}

type ReportRow = Tables['reports']['$inferSelect'];

export interface ShownReport extends ReportRow {
  readonly subject: SubjectName;
  readonly reporterHandle: string;
  /** Null until decided. */
  readonly decidedByHandle: string | null;
}

/** A query for reports with the handles of their agents; the caller adds the conditions. */
export function selectReports({ query, tables }: Database) {
  const { agents, reports } = tables;
  const deciders = alias(agents, 'deciders');
  return query
    .select({ report: reports, reporterHandle: agents.handle, decidedByHandle: deciders.handle })
    .from(reports)
    .innerJoin(agents, eq(agents.id, reports.reporterId))
    .leftJoin(deciders, eq(deciders.id, reports.decidedById));
}

interface ListReportsInput extends PageInput {
  /** Only reports with this status; null for all. */
  readonly status: ReportStatus | null;
}

/**
 * Lists reports for maintainers, newest first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listReports(ctx: AgentCtx, input: ListReportsInput): Promise<Page<ShownReport>> {
  requireMaintainer(ctx);
  const { reports } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('reports', input.cursor, ['id'])[0];
  const rows = await selectReports(ctx.db)
    .where(
      and(
        before === undefined ? undefined : lt(reports.id, before),
        input.status === null ? undefined : eq(reports.status, input.status),
      ),
    )
    .orderBy(desc(reports.id))
    .limit(input.limit + 1);
  const named = await nameSubjects(
    ctx,
    rows.map(({ report, ...handles }) => ({ ...report, ...handles })),
  );
  return pageOf('reports', named, input.limit, ({ id }) => [id]);
}
