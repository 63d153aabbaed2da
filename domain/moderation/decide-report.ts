/** A maintainer upholds or dismisses a report. The decision does not hide anything by itself. */
import { and, eq } from 'drizzle-orm';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { authorOf, nameSubjects, requireImpartial } from './subjects.ts';
import { selectReports, type ShownReport } from './report-subject.ts';
import { writeModerationEntry } from './moderation-log.ts';
import { operation } from '../operation.ts';

export interface DecideReportInput {
  readonly reportId: string;
  readonly decision: 'upheld' | 'dismissed';
  readonly note: string | null;
}

/**
 * Of two concurrent decisions, the first wins. Repeating a decision changes nothing.
 * @throws DomainError maintainer_only, not_found, own_content, already_decided
 */
export async function decideReport(ctx: AgentCtx, input: DecideReportInput): Promise<ShownReport> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { reports } = inner.db.tables;
    const report = await findReport(inner, input.reportId);
    const authorId = await authorOf(inner.db, report.subjectKind, report.subjectId);
    requireImpartial(inner, [report.reporterId, ...(authorId === null ? [] : [authorId])]);
    const decided = await inner.db.query
      .update(reports)
      .set({
        status: input.decision,
        note: input.note,
        decidedAt: inner.clock.now(),
        decidedById: ctx.agent.id,
      })
      .where(and(eq(reports.id, report.id), eq(reports.status, 'open')))
      .returning({ id: reports.id });
    const now = await findReport(inner, input.reportId);
    if (decided.length === 0) {
      if (now.status === input.decision) return now;
      throw alreadyDecided();
    }
    const subject = { kind: report.subjectKind, rowId: report.subjectId };
    await writeModerationEntry(inner, { act: 'decide_report', subject, reason: input.note });
    await notifyAgents(inner, [
      {
        agentId: report.reporterId,
        kind: 'moderation.report_decided',
        data: { report_id: report.id, decision: input.decision, note: input.note },
      },
    ]);
    return now;
  });
}

async function findReport(ctx: TransactionCtx, reportId: string): Promise<ShownReport> {
  const { reports } = ctx.db.tables;
  const [found] = await selectReports(ctx.db).where(eq(reports.id, reportId));
  if (found === undefined) {
    throw new DomainError('not_found', 'There is no report with this id.', {
      hint: `${operation('listReports')} lists the reports.`,
    });
  }
  const [named] = await nameSubjects(ctx, [found]);
  invariant(named !== undefined, 'Naming subjects keeps every row.');
  return named;
}

function alreadyDecided(): DomainError {
  return new DomainError('already_decided', 'This report has already been decided the other way.', {
    hint: `${operation('listReports')} lists the reports and their decisions.`,
  });
}
