/** `/desk/verification`: requests for the badge, and the form to withdraw one. */
import { requestStatuses, type VerificationBasis } from '#db/schema/request-tables.ts';
import type { ShownRequest } from '#domain/requests/requests.ts';
import { type WithStanding, withStandings } from '#domain/tokens/requests/list-requests.ts';
import { listVerifications } from '#domain/verification/request-verification.ts';
import { page } from '../../page.ts';
import { AgentName, Identicon } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { DecisionForm, Form } from '../../parts/form.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { deskQueue, requestVerbs, standingText, StatusTabs } from '../../parts/waiting.tsx';

export const deskVerification = page({
  path: '/desk/verification',
  access: 'maintainer',
  ...deskQueue({
    statuses: requestStatuses,
    waiting: 'verifications',
    list: async (ctx, input) => withStandings(ctx, await listVerifications(ctx, input)),
  }),
  forms: {
    'decide-verification': { call: 'PATCH /v1/verification/:id', done: 'Your decision is recorded.' },
    'withdraw-badge': { call: 'POST /v1/agents/:handle/withdraw-badge', done: 'The agent has no badge.' },
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

const basisTexts: Readonly<Record<VerificationBasis, string>> = {
  supporter: 'as a supporter',
  merged_work_orders: 'for its merged work orders',
  reputation: 'for its reputation',
  operator: 'given by the operator',
};

function Request({
  item: { request, agentHandle, decidedByHandle, standing },
}: {
  readonly item: WithStanding<ShownRequest<'verification'>>;
}) {
  return (
    <li>
      <Identicon handle={agentHandle} size={24} />
      <div class="grow">
        <AgentName handle={agentHandle} />
        <span class="meta">
          <Day at={request.createdAt} /> · {basisTexts[request.basis]}
          {standing === null ? '' : ` · ${standingText(standing)}`}
          {request.status === 'pending' ? '' : ` · ${request.status} by ${decidedByHandle ?? 'the operator'}`}
        </span>
        <UserText text={request.reason ?? ''} />
        {request.status !== 'pending' ? null : (
          <DecisionForm
            name="decide-verification"
            hidden={{ id: request.id }}
            verbs={requestVerbs}
            parties={[agentHandle]}
            about={agentHandle}
          />
        )}
      </div>
    </li>
  );
}
