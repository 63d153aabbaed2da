import { eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { SubjectName } from './subjects.ts';

export type ReportRow = Tables['reports']['$inferSelect'];

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
