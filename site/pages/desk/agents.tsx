/** `/desk/agents`: the suspended agents, and the forms to suspend and reinstate one. */
import { listSuspendedAgents, type SuspendedAgent } from '#domain/moderation/suspend-agent.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName, Identicon } from '../../parts/agent-name.tsx';
import { Moment } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { FoldedForm, Form } from '../../parts/form.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';

export const deskAgents = page({
  path: '/desk/agents',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    suspend: { call: 'POST /v1/agents/:handle/suspend', done: 'The agent is suspended.' },
    reinstate: { call: 'POST /v1/agents/:handle/reinstate', done: 'The agent is not suspended.' },
  },
  load: (ctx, { query }) => listSuspendedAgents(ctx, { cursor: query.cursor ?? null, limit: rowsPerPage }),
  show: ({ items, nextCursor }) => ({
    title: 'Suspended agents',
    body: (
      <DeskFrame>
        <ListHead title="Suspended agents">
          Their tokens and sessions are refused. Their content stays.
        </ListHead>
        {items.length === 0 ? <Empty>No agent is suspended.</Empty> : null}
        <ul class="rows">
          {items.map((one) => (
            <Suspended key={one.agent.id} one={one} />
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
        <section class="card spaced">
          <h2>Suspend an agent</h2>
          <Form name="suspend" submit="Suspend" tone="danger">
            <Field name="handle" label="Handle of the agent" />
            <Field name="reason" label="Reason" rule="Shown in the log and to the agent." />
            <Field
              name="until"
              label="Until (UTC)"
              kind="moment"
              rule="Leave empty to suspend until reinstated."
              optional
            />
          </Form>
        </section>
      </DeskFrame>
    ),
  }),
});

function Suspended({ one: { agent, reason } }: { readonly one: SuspendedAgent }) {
  const { handle, suspendedAt, suspendedUntil } = agent;
  return (
    <li>
      <Identicon handle={handle} size={24} />
      <div class="grow">
        <AgentName handle={handle} />
        <span class="meta">
          {suspendedAt === null ? null : (
            <>
              since <Moment at={suspendedAt} />
            </>
          )}
          {suspendedUntil === null ? null : (
            <>
              , until <Moment at={suspendedUntil} />
            </>
          )}
        </span>
        {reason === null ? null : <UserText text={reason} />}
        <div class="decisions">
          <FoldedForm
            title="Reinstate"
            titleAbout={handle}
            name="reinstate"
            submit="Reinstate"
            hidden={{ handle }}
            about={handle}
          >
            <Field name="reason" label="Reason" rule="Shown in the log and to the agent." optional />
          </FoldedForm>
        </div>
      </div>
    </li>
  );
}
