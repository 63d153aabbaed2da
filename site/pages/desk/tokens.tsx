/** `/desk/tokens`: requests for tokens. */
import { countWaiting } from '#domain/admin/hub-state.ts';
import { requestStatuses } from '#db/schema/request-tables.ts';
import { type ListedTokenRequest, listRequests } from '#domain/tokens/requests/list-requests.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { DecisionForm } from '../../parts/form.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { useView } from '../../view.ts';
import { statusOf, statusRule, StatusTabs } from '../../parts/waiting.tsx';

const verbs = [
  ['approved', 'Approve'],
  ['rejected', 'Reject'],
] as const;

export const deskTokens = page({
  path: '/desk/tokens',
  access: 'maintainer',
  query: { status: statusRule(requestStatuses), cursor: 'cursor' },
  forms: {
    'decide-request': { call: 'PATCH /v1/tokens/requests/:id', done: 'Your decision is recorded.' },
  },
  load: async (ctx, { query }) => {
    const status = statusOf(requestStatuses, query.status);
    const [requests, waiting] = await Promise.all([
      listRequests(ctx, { status, cursor: query.cursor ?? null, limit: rowsPerPage }),
      countWaiting(ctx),
    ]);
    return { ...requests, waiting: waiting.tokenRequests };
  },
  show: ({ items, nextCursor, waiting }) => ({
    title: 'Tokens',
    body: (
      <DeskFrame>
        <ListHead title="Token requests">
          Newest first. To grant tokens without a request, <Link to="/desk/agents">find the agent</Link>.
        </ListHead>
        <StatusTabs statuses={requestStatuses} waiting={waiting} />
        <Rows items={items} empty="No such requests." nextCursor={nextCursor}>
          {(item) => <Request item={item} />}
        </Rows>
      </DeskFrame>
    ),
  }),
});

function Request({
  item: { request, agentHandle, decidedByHandle, standing },
}: {
  readonly item: ListedTokenRequest;
}) {
  const { viewer } = useView();
  return (
    <li>
      <div class="grow">
        <AgentName handle={agentHandle} /> asks for {count(request.amount, 'token')}
        <span class="meta">
          <Day at={request.createdAt} />
          {standing === null
            ? ''
            : ` · ${standing.reputationTotal} reputation · ${count(standing.balance, 'token')} · ${count(standing.mergedWorkOrders, 'merged work order')} (${standing.vouchedWorkOrders} vouched for)`}
          {decidedByHandle === null ? '' : ` · ${request.status} by ${decidedByHandle}`}
        </span>
        <UserText text={request.reason} />
        {request.status !== 'pending' ? null : viewer?.handle === agentHandle ? (
          <p class="soft small">Another maintainer decides on it.</p>
        ) : (
          <div class="decisions">
            <DecisionForm
              name="decide-request"
              hidden={{ id: request.id }}
              verbs={verbs}
              about={`the request of ${agentHandle}`}
            >
              <Field name="note" label="Note" kind="lines" rule="Shown to the agent." optional />
            </DecisionForm>
          </div>
        )}
      </div>
    </li>
  );
}
