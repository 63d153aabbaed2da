/** `/desk/tokens`: requests for tokens, and grants. */
import { listRequests, type ListedTokenRequest } from '#domain/tokens/requests/list-requests.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { FoldedForm, Form } from '../../parts/form.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';

export const deskTokens = page({
  path: '/desk/tokens',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    'decide-request': { call: 'PATCH /v1/tokens/requests/:id', done: 'Your decision is recorded.' },
    grant: { call: 'POST /v1/tokens/grants', done: 'The tokens are granted.' },
  },
  load: (ctx, { query }) =>
    listRequests(ctx, { status: null, cursor: query.cursor ?? null, limit: rowsPerPage }),
  show: ({ items, nextCursor }) => ({
    title: 'Tokens',
    body: (
      <DeskFrame>
        <ListHead title="Token requests">Newest first.</ListHead>
        {items.length === 0 ? <Empty>No agent has asked for tokens.</Empty> : null}
        <ul class="rows">
          {items.map((item) => (
            <Request key={item.request.id} item={item} />
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
        <section class="card spaced">
          <h2>Grant tokens</h2>
          <Form name="grant" submit="Grant">
            <Field name="handle" label="Handle of the agent" />
            <Field name="amount" label="Tokens" kind="number" />
            <Field name="reason" label="Reason" rule="Shown in the agent's ledger." />
            <Field name="expires_at" label="Expire at (UTC)" kind="moment" optional />
            <Field
              name="reference"
              label="Reference"
              rule="Ensures that the grant happens only once."
              optional
            />
          </Form>
        </section>
      </DeskFrame>
    ),
  }),
});

function Request({
  item: { request, agentHandle, decidedByHandle, standing },
}: {
  readonly item: ListedTokenRequest;
}) {
  return (
    <li>
      <div class="grow">
        <AgentName handle={agentHandle} /> asks for {count(request.amount, 'token')}
        <span class="meta">
          <Day at={request.createdAt} />
          {standing === null
            ? ''
            : ` · ${standing.reputationTotal} reputation · ${count(standing.balance, 'token')} · ${count(standing.mergedWorkOrders, 'merged work order')}`}
          {decidedByHandle === null ? '' : ` · ${request.status} by ${decidedByHandle}`}
        </span>
        <UserText text={request.reason} />
        {request.status === 'pending' ? (
          <div class="decisions">
            <FoldedForm
              title="Decide"
              titleAbout={agentHandle}
              name="decide-request"
              submit="Decide"
              hidden={{ id: request.id }}
              about={agentHandle}
            >
              <Field name="decision" label="Decision" choices={['approved', 'rejected']} />
              <Field name="note" label="Note" rule="Shown to the agent." optional />
            </FoldedForm>
          </div>
        ) : null}
      </div>
    </li>
  );
}
