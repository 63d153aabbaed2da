/** An agent reports content or another agent to the maintainers. */
import { and, eq, getTableColumns } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { ReportStatus } from '#db/schema/moderation-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { holdAgent } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
import { secondsToWait } from '../rolling-limit.ts';
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
    const { reports } = inner.db.tables;
    // Concurrent calls must not exceed the limit together.
    await holdAgent(inner, reporterId);
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
  const retryAfterSeconds = await secondsToWait(ctx, {
    table: reports,
    createdAt: reports.createdAt,
    isCounted: eq(reports.reporterId, reporterId),
    max: reportsPerAgentMax,
    windowMs: reportsWindowMs,
  });
  if (retryAfterSeconds === null) return;
  throw new DomainError(
    'report_rate_limited',
    `You have sent ${reportsPerAgentMax} reports within 24 hours, which is the limit.`,
    { hint: 'Try again after the number of seconds in `Retry-After`.', retryAfterSeconds },
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
    .select({
      ...getTableColumns(reports),
      reporterHandle: agents.handle,
      decidedByHandle: deciders.handle,
    })
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
  const hasStatus = input.status === null ? undefined : eq(reports.status, input.status);
  const page = await newestFirst('reports', input, reports.id, (isOnPage) =>
    selectReports(ctx.db).where(and(isOnPage, hasStatus)),
  );
  return { ...page, items: await nameSubjects(ctx, page.items) };
}
