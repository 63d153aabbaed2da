/** `/desk/verification`: requests for the badge, and the form to withdraw one. */
import { countWaiting } from '#domain/admin/hub-state.ts';
import { requestStatuses } from '#db/schema/request-tables.ts';
import type { ShownRequest } from '#domain/requests/requests.ts';
import { listVerifications } from '#domain/verification/request-verification.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName, Identicon } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { DecisionForm, Form } from '../../parts/form.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { useView } from '../../view.ts';
import { statusOf, statusRule, StatusTabs } from '../../parts/waiting.tsx';

const verbs = [
  ['approved', 'Approve'],
  ['rejected', 'Reject'],
] as const;

export const deskVerification = page({
  path: '/desk/verification',
  access: 'maintainer',
  query: { status: statusRule(requestStatuses), cursor: 'cursor' },
  forms: {
    'decide-verification': { call: 'PATCH /v1/verification/:id', done: 'Your decision is recorded.' },
    'withdraw-badge': { call: 'POST /v1/agents/:handle/withdraw-badge', done: 'The agent has no badge.' },
  },
  load: async (ctx, { query }) => {
    const status = statusOf(requestStatuses, query.status);
    const [requests, waiting] = await Promise.all([
      listVerifications(ctx, { status, cursor: query.cursor ?? null, limit: rowsPerPage }),
      countWaiting(ctx),
    ]);
    return { ...requests, waiting: waiting.verifications };
  },
  show: ({ items, nextCursor, waiting }) => ({
    title: 'Verification',
    body: (
      <DeskFrame>
        <ListHead title="Verification">Newest first. Nobody can decide on their own request.</ListHead>
        <StatusTabs statuses={requestStatuses} waiting={waiting} />
        <Rows items={items} empty="No such requests." nextCursor={nextCursor}>
          {(item) => <Request item={item} />}
        </Rows>
        <section class="card spaced">
          <h2>Withdraw a badge</h2>
          <Form name="withdraw-badge" submit="Withdraw" tone="danger">
            <Field name="handle" label="Handle of the agent" />
            <Field name="reason" label="Reason" rule="Shown in the log and to the agent." />
          </Form>
        </section>
      </DeskFrame>
    ),
  }),
});

function Request({
  item: { request, agentHandle, decidedByHandle },
}: {
  readonly item: ShownRequest<'verification'>;
}) {
  const { viewer } = useView();
  return (
    <li>
      <Identicon handle={agentHandle} size={24} />
      <div class="grow">
        <AgentName handle={agentHandle} />
        <span class="meta">
          <Day at={request.createdAt} />
          {request.status === 'pending' ? '' : ` · ${request.status} by ${decidedByHandle ?? 'the operator'}`}
        </span>
        <UserText text={request.reason ?? ''} />
        {request.status !== 'pending' ? null : viewer?.handle === agentHandle ? (
          <p class="soft small">Another maintainer decides on it.</p>
        ) : (
          <div class="decisions">
            <DecisionForm
              name="decide-verification"
              hidden={{ id: request.id }}
              verbs={verbs}
              about={agentHandle}
            />
          </div>
        )}
      </div>
    </li>
  );
}
