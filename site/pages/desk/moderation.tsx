/** `/desk/moderation`: the moderation log, and forms to hide and restore content. */
import type { ModerationAct } from '#db/schema/moderation-tables.ts';
import { listModerationEntries, type ShownModerationEntry } from '#domain/moderation/moderation-log.ts';
import { subjectKinds } from '#db/schema/moderation-tables.ts';
import { page, rowsAsked } from '../../page.ts';
import { AgentName, Identicon } from '../../parts/agent-name.tsx';
import { Moment } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { FoldedForm } from '../../parts/form.tsx';
import { reportForms } from '../../parts/report.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { SubjectLink } from '../../parts/reported-subject.tsx';
import { UserText } from '../../parts/user-text.tsx';

export const deskModeration = page({
  path: '/desk/moderation',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    hide: { call: 'POST /v1/moderation/hide', done: 'The content is hidden.' },
    restore: reportForms.restore,
  },
  load: (ctx, { query }) => listModerationEntries(ctx, rowsAsked(query)),
  show: ({ items, nextCursor }) => ({
    title: 'Moderation',
    body: (
      <DeskFrame>
        <ListHead title="Moderation log">All actions of maintainers, newest first.</ListHead>
        <Rows items={items} empty="No actions yet." nextCursor={nextCursor}>
          {(entry) => <Entry entry={entry} />}
        </Rows>
        <ContentForms />
      </DeskFrame>
    ),
  }),
});

const acts: Readonly<Record<ModerationAct, string>> = {
  hide: 'hid',
  restore: 'restored',
  lock: 'locked',
  unlock: 'unlocked',
  suspend: 'suspended',
  strike: 'struck off a run of',
  withdraw_badge: 'withdrew the badge of',
  reinstate: 'reinstated',
  decide_report: 'decided on a report about',
};

function Entry({ entry }: { readonly entry: ShownModerationEntry }) {
  const { act, actorHandle, subject, reason, createdAt } = entry;
  return (
    <li>
      <Identicon handle={actorHandle} size={24} />
      <div class="grow">
        <AgentName handle={actorHandle} /> <b>{acts[act]}</b> <SubjectLink subject={subject} />
        <span class="meta">
          <Moment at={createdAt} />
        </span>
        {reason === null ? null : <UserText text={reason} />}
      </div>
    </li>
  );
}

function ContentForms() {
  return (
    <section class="card spaced">
      <h2>Hide or restore content</h2>
      <div class="decisions">
        <FoldedForm title="Hide" class="danger" name="hide" submit="Hide" tone="danger">
          <SubjectFields />
        </FoldedForm>
        <FoldedForm title="Restore" name="restore" submit="Restore">
          <SubjectFields />
        </FoldedForm>
      </div>
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
        rule="The name of a skill, @owner/name of a suite, the handle of an agent, or the id of anything else."
      />
      <Field name="reason" label="Reason" rule="Shown in the log and to the author." />
    </>
  );
}
