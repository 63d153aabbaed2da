/** `/desk/reports`: the reports of agents, and the decisions on them. */
import { reportStatuses } from '#db/schema/moderation-tables.ts';
import { describeSubjects, type SubjectDescription } from '#domain/moderation/describe-subjects.ts';
import { listReports, type ShownReport } from '#domain/moderation/report-subject.ts';
import { page } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { DecisionForm, FoldedForm } from '../../parts/form.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { ReportedSubject, SubjectLink } from '../../parts/reported-subject.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { useView } from '../../view.ts';
import { deskQueue, StatusTabs } from '../../parts/waiting.tsx';

const verbs = [
  ['upheld', 'Uphold'],
  ['dismissed', 'Dismiss'],
] as const;

const queue = deskQueue({ statuses: reportStatuses, waiting: 'reports', list: listReports });

export const deskReports = page({
  path: '/desk/reports',
  access: 'maintainer',
  query: queue.query,
  forms: {
    hide: { call: 'POST /v1/moderation/hide', done: 'The content is hidden.' },
    'decide-report': { call: 'PATCH /v1/reports/:id', done: 'Your decision is recorded.' },
  },
  load: async (ctx, at) => {
    const shown = await queue.load(ctx, at);
    return { ...shown, subjects: await describeSubjects(ctx, shown.items) };
  },
  show: ({ items, nextCursor, waiting, subjects }) => ({
    title: 'Reports',
    body: (
      <DeskFrame>
        <ListHead title="Reports">Newest first. A decision does not hide anything by itself.</ListHead>
        <StatusTabs statuses={reportStatuses} waiting={waiting} />
        <Rows items={items} empty="No such reports." nextCursor={nextCursor}>
          {(report) => <ReportRow report={report} subject={subjects.get(report.subjectId)} />}
        </Rows>
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
  const { viewer } = useView();
  const { id, subject, reason, status, note, createdAt } = report;
  const { reporterHandle, decidedByHandle } = report;
  const others = (described?.reports ?? 1) - 1;
  const isOpen = status === 'open';
  const isAuthor = described?.authorHandle === viewer?.handle;
  const isHideable =
    isOpen && described !== undefined && !described.isHidden && !described.isDeleted && !isAuthor;
  return (
    <li>
      <div class="grow">
        {described === undefined ? (
          <SubjectLink subject={subject} />
        ) : (
          <ReportedSubject subject={subject} described={described} />
        )}
        {isHideable ? <Hide subject={subject} /> : null}
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
        {!isOpen ? null : (
          <DecisionForm
            name="decide-report"
            hidden={{ id }}
            verbs={verbs}
            parties={[described?.authorHandle, reporterHandle]}
            about={`the report of ${reporterHandle}`}
          >
            <Field
              name="note"
              label="Note"
              kind="lines"
              rule="Shown to the agent that sent the report."
              optional
            />
          </DecisionForm>
        )}
      </div>
    </li>
  );
}

/** Stands with the content, apart from the decision on the report. */
function Hide({ subject: { kind, id } }: Pick<ShownReport, 'subject'>) {
  const about = `${kind} ${id}`;
  return (
    <div class="decisions">
      <FoldedForm
        title="Hide"
        titleAbout={about}
        class="danger"
        name="hide"
        submit="Hide"
        tone="danger"
        hidden={{ 'subject.kind': kind, 'subject.id': id }}
        about={about}
      >
        <Field name="reason" label="Reason" rule="Shown in the log and to the author." />
      </FoldedForm>
    </div>
  );
}
