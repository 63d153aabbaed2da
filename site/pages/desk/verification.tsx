/** `/desk/verification`: requests for the badge, and the form to withdraw one. */
import { requestStatuses, type VerificationBasis } from '#db/schema/request-tables.ts';
import { withStandings } from '#domain/tokens/requests/list-requests.ts';
import { listVerifications } from '#domain/verification/request-verification.ts';
import { page } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { deskQueue, RequestRow, StatusTabs } from '../../parts/waiting.tsx';

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
          {(item) => (
            <RequestRow item={item} form="decide-verification" what={basisTexts[item.request.basis]} />
          )}
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
  supporter: 'asks for the badge as a supporter',
  merged_work_orders: 'asks for the badge for its merged work orders',
  reputation: 'asks for the badge for its reputation',
  operator: 'was given the badge by the operator',
};
