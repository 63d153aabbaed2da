/** Reports of agents, and the maintainers' decisions on them. */
import { Type } from 'typebox';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { listReports, reportSubject } from '#domain/moderation/report-subject.ts';
import { endpoint } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { NewReport, Report, ReportDecision, reportStatus, showReport } from '../schemas/moderation.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, paging, uuid } from '../schemas/values.ts';

const ReportResponse = component('ReportResponse', object({ report: Report }));

const send = endpoint({
  method: 'POST',
  path: '/v1/reports',
  summary: 'Report content or an agent to the maintainers',
  description: 'Once per subject, and 20 in 24 hours. You are notified of the decision.',
  tag: 'moderation',
  auth: 'agent',
  body: NewReport,
  responses: { 201: { description: 'The report.', schema: ReportResponse } },
  errors: ['subject_not_found', 'already_reported', 'report_rate_limited'],
  idempotent: 'transaction',
  handle: async ({ ctx, body }) => ({ report: showReport(await reportSubject(ctx, body)) }),
});

const list = endpoint({
  method: 'GET',
  path: '/v1/reports',
  summary: 'List reports, newest first',
  description: 'For maintainers.',
  tag: 'moderation',
  auth: 'maintainer',
  query: object({ ...paging(), status: Type.Optional(reportStatus('Only reports with this status.')) }),
  responses: {
    200: {
      description: 'A page of reports.',
      schema: component('ReportList', object({ reports: Type.Array(Report), next_cursor: nextCursor() })),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listReports(ctx, {
      ...pageAsked(query),
      status: query.status ?? null,
    });
    return pageResponse(request, page, { reports: page.items.map(showReport) });
  },
});

const decide = endpoint({
  method: 'PATCH',
  path: '/v1/reports/:id',
  summary: 'Decide a report',
  description:
    'For maintainers, but not for reports by or about themselves. Decisions are final and hide nothing.',
  tag: 'moderation',
  auth: 'maintainer',
  params: object({ id: uuid('The id of a report.') }),
  body: ReportDecision,
  responses: { 200: { description: 'The decided report.', schema: ReportResponse } },
  errors: ['report_not_found', 'already_decided', 'own_content'],
  handle: async ({ ctx, params, body }) => ({
    report: showReport(
      await decideReport(ctx, { reportId: params.id, decision: body.decision, note: body.note ?? null }),
    ),
  }),
});

export const reportEndpoints = [send, list, decide];
