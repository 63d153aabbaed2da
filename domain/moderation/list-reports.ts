import { and, desc, eq, lt } from 'drizzle-orm';
import type { ReportStatus } from '#db/schema/moderation-tables.ts';
import { requireMaintainer } from '../agents/require-maintainer.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { nameSubjects } from './name-subjects.ts';
import { selectReports, type ShownReport } from './select-reports.ts';

export interface ListReportsInput extends PageInput {
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
