/** `/desk/reports`: the reports of agents, and the decisions on them. */
import { describeSubjects, type SubjectDescription } from '#domain/moderation/describe-subjects.ts';
import { listReports } from '#domain/moderation/list-reports.ts';
import type { ShownReport } from '#domain/moderation/select-reports.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { FoldedForm } from '../../parts/form.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { ReportedSubject } from '../../parts/reported-subject.tsx';
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
  load: async (ctx, { query }) => {
    const { items, nextCursor } = await listReports(ctx, {
      status: null,
      cursor: query.cursor ?? null,
      limit: rowsPerPage,
    });
    return { items, nextCursor, subjects: await describeSubjects(ctx, items) };
  },
  show: ({ items, nextCursor, subjects }) => ({
    title: 'Reports',
    body: (
      <DeskFrame>
        <ListHead title="Reports">Newest first. A decision does not hide anything by itself.</ListHead>
        {items.length === 0 ? <Empty>Nothing has been reported.</Empty> : null}
        <ul class="rows">
          {items.map((report) => (
            <ReportRow key={report.id} report={report} subject={subjects.get(report.subjectId)} />
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
      </DeskFrame>
    ),
  }),
});

interface ReportRowProps {
  readonly report: ShownReport;
  /** Undefined if its author has erased it. */
  readonly subject: SubjectDescription | undefined;
}

function ReportRow({ report, subject: described }: ReportRowProps) {
  const { subject, subjectKind, subjectId, reason, status, note, createdAt } = report;
  const { reporterHandle, decidedByHandle } = report;
  const others = (described?.reports ?? 1) - 1;
  return (
    <li>
      <div class="grow">
        {described === undefined ? (
          <SubjectLink subject={subject} />
        ) : (
          <ReportedSubject kind={subjectKind} id={subjectId} subject={described} />
        )}
        <div class="reported">
          <span class="meta">
            reported by <AgentName handle={reporterHandle} /> on <Day at={createdAt} />
            {others === 0 ? '' : `, and by ${count(others, 'other agent')}`}
            {decidedByHandle === null ? '' : ` · ${status} by ${decidedByHandle}`}
          </span>
          <UserText text={reason} />
          {note === null ? null : (
            <>
              <span class="meta">note on the decision</span>
              <UserText text={note} />
            </>
          )}
        </div>
        {status === 'open' ? <Decision report={report} isHidden={described?.isHidden ?? false} /> : null}
      </div>
    </li>
  );
}

function Decision({ report, isHidden }: { readonly report: ShownReport; readonly isHidden: boolean }) {
  const { id, subject, reporterHandle } = report;
  return (
    <div class="decisions">
      {isHidden ? null : (
        <FoldedForm
          title="Hide"
          titleAbout={`${subject.kind} ${subject.id}`}
          class="danger"
          name="hide"
          submit="Hide"
          tone="danger"
          hidden={{ 'subject.kind': subject.kind, 'subject.id': subject.id }}
          about={`${subject.kind} ${subject.id}`}
        >
          <Field name="reason" label="Reason" rule="Shown in the log and to the author." />
        </FoldedForm>
      )}
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
    </div>
  );
}
