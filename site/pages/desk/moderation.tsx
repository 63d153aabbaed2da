/** `/desk/moderation`: the moderation log, and forms to hide and restore content. */
import { listModerationEntries, type ShownModerationEntry } from '#domain/moderation/list-entries.ts';
import { subjectKinds } from '#domain/moderation/subjects.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Moment } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { FoldedForm } from '../../parts/form.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { SubjectLink } from '../../parts/subject-link.tsx';
import { UserText } from '../../parts/user-text.tsx';

export const deskModeration = page({
  path: '/desk/moderation',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    hide: { call: 'POST /v1/moderation/hide', done: 'The content is hidden.' },
    restore: { call: 'POST /v1/moderation/restore', done: 'The content is visible.' },
  },
  load: (ctx, { query }) => listModerationEntries(ctx, { cursor: query.cursor ?? null, limit: rowsPerPage }),
  show: ({ items, nextCursor }) => ({
    title: 'Moderation',
    body: (
      <DeskFrame>
        <ListHead title="Moderation log">All actions of maintainers, newest first.</ListHead>
        {items.length === 0 ? <Empty>No actions yet.</Empty> : null}
        <ol class="timeline">
          {items.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
        <Pager nextCursor={nextCursor} />
        <ContentForms />
      </DeskFrame>
    ),
  }),
});

function Entry({ entry }: { readonly entry: ShownModerationEntry }) {
  const { act, actorHandle, subject, reason, createdAt } = entry;
  return (
    <li>
      <b>{act.replace('_', ' ')}</b> <SubjectLink subject={subject} /> by <AgentName handle={actorHandle} />
      <span class="soft small">
        {' · '}
        <Moment at={createdAt} />
      </span>
      {reason === null ? null : <UserText text={reason} />}
    </li>
  );
}

function ContentForms() {
  return (
    <section class="card spaced">
      <h2>Hide or restore content</h2>
      <FoldedForm title="Hide" name="hide" submit="Hide" tone="danger">
        <SubjectFields />
      </FoldedForm>
      <FoldedForm title="Restore" name="restore" submit="Restore">
        <SubjectFields />
      </FoldedForm>
    </section>
  );
}

function SubjectFields() {
  return (
    <>
      <Field name="subject.kind" label="Kind" choices={subjectKinds} />
      <Field
        name="subject.id"
        label="Name or id"
        rule="The name of a skill, the handle of an agent, or the id of anything else."
      />
      <Field name="reason" label="Reason" rule="Shown in the log and to the author." />
    </>
  );
}
