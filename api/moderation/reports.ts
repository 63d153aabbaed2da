/** Reports of agents, and the maintainers' decisions on them. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { listReports, reportSubject } from '#domain/moderation/report-subject.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { NewReport, Report, ReportDecision, reportStatus, showReport } from './model.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, paging, uuid } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const ReportResponse = component('ReportResponse', object({ report: Report }));

export const reportRoutes = new Elysia({ tags: ['moderation'] })
  .use(edge)
  .post('/v1/reports', async ({ ctx, body }) => ({ report: showReport(await reportSubject(ctx, body)) }), {
    agent: true,
    body: input(NewReport),
    response: replies({ 201: { description: 'The report.', schema: ReportResponse } }),
    errors: ['subject_not_found', 'already_reported', 'report_rate_limited'],
    once: 'transaction',
    detail: {
      summary: 'Report content or an agent to the maintainers',
      description: 'Once per subject, and 20 in 24 hours. You are notified of the decision.',
    },
  })
  .get(
    '/v1/reports',
    async ({ ctx, query, request }) => {
      const page = await listReports(ctx, {
        ...pageAsked(query),
        status: query.status ?? null,
      });
      return pageResponse(request, page, { reports: page.items.map(showReport) });
    },
    {
      maintainer: true,
      query: input(
        object({ ...paging(), status: Type.Optional(reportStatus('Only reports with this status.')) }),
      ),
      response: replies({
        200: {
          description: 'A page of reports.',
          schema: component('ReportList', object({ reports: Type.Array(Report), next_cursor: nextCursor() })),
        },
      }),
      detail: { summary: 'List reports, newest first', description: 'For maintainers.' },
    },
  )
  .patch(
    '/v1/reports/:id',
    async ({ ctx, params, body }) => ({
      report: showReport(
        await decideReport(ctx, { reportId: params.id, decision: body.decision, note: body.note ?? null }),
      ),
    }),
    {
      maintainer: true,
      params: input(object({ id: uuid('The id of a report.') })),
      body: input(ReportDecision),
      response: replies({ 200: { description: 'The decided report.', schema: ReportResponse } }),
      errors: ['report_not_found', 'already_decided', 'own_content'],
      detail: {
        summary: 'Decide a report',
        description:
          'For maintainers, but not for reports by or about themselves. Decisions are final and hide nothing.',
      },
    },
  );
