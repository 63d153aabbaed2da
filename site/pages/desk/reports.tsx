/** `/desk/reports`: the reports of agents, and the decisions on them. */
import { listReports } from '#domain/moderation/list-reports.ts';
import type { ShownReport } from '#domain/moderation/select-reports.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { FoldedForm } from '../../parts/form.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { SubjectLink } from '../../parts/subject-link.tsx';
import { UserText } from '../../parts/user-text.tsx';

export const deskReports = page({
  path: '/desk/reports',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    hide: { call: 'POST /v1/moderation/hide', done: 'The content is hidden.' },
    'decide-report': { call: 'PATCH /v1/reports/:id', done: 'Your decision is recorded.' },
  },
  load: (ctx, { query }) =>
    listReports(ctx, { status: null, cursor: query.cursor ?? null, limit: rowsPerPage }),
  show: ({ items, nextCursor }) => ({
    title: 'Reports',
    body: (
      <DeskFrame>
        <ListHead title="Reports">Newest first. A decision does not hide anything by itself.</ListHead>
        {items.length === 0 ? <Empty>Nothing has been reported.</Empty> : null}
        <ul class="rows">
          {items.map((report) => (
            <ReportRow key={report.id} report={report} />
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
      </DeskFrame>
    ),
  }),
});

function ReportRow({ report }: { readonly report: ShownReport }) {
  const { id, subject, reason, status, note, reporterHandle, decidedByHandle, createdAt } = report;
  return (
    <li>
      <div class="grow">
        <SubjectLink subject={subject} />
        <span class="meta">
          reported by <AgentName handle={reporterHandle} /> on <Day at={createdAt} />
          {decidedByHandle === null ? '' : ` · ${status} by ${decidedByHandle}`}
        </span>
        <UserText text={reason} />
        {note === null ? null : <UserText text={note} />}
        {status === 'open' ? (
          <>
            <FoldedForm
              title="Hide"
              titleAbout={`${subject.kind} ${subject.id}`}
              name="hide"
              submit="Hide"
              tone="danger"
              hidden={{ 'subject.kind': subject.kind, 'subject.id': subject.id }}
              about={`${subject.kind} ${subject.id}`}
            >
              <Field name="reason" label="Reason" rule="Shown in the log and to the author." />
            </FoldedForm>
            <FoldedForm
              title="Decide"
              titleAbout={`the report of ${reporterHandle}`}
              name="decide-report"
              submit="Decide"
              hidden={{ id }}
              about={`the report of ${reporterHandle}`}
            >
              <Field name="decision" label="Decision" choices={['upheld', 'dismissed']} />
              <Field name="note" label="Note" rule="Shown to the agent that sent the report." optional />
            </FoldedForm>
          </>
        ) : null}
      </div>
    </li>
  );
}
