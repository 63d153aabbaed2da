/** `/desk/tokens`: requests for tokens. */
import { requestStatuses } from '#db/schema/request-tables.ts';
import { type ListedTokenRequest, listRequests } from '#domain/tokens/requests/list-requests.ts';
import { page } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { DecisionForm } from '../../parts/form.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { deskQueue, requestVerbs, standingText, StatusTabs } from '../../parts/waiting.tsx';

export const deskTokens = page({
  path: '/desk/tokens',
  access: 'maintainer',
  ...deskQueue({ statuses: requestStatuses, waiting: 'tokenRequests', list: listRequests }),
  forms: {
    'decide-request': { call: 'PATCH /v1/tokens/requests/:id', done: 'Your decision is recorded.' },
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
  return (
    <li>
      <div class="grow">
        <AgentName handle={agentHandle} /> asks for {count(request.amount, 'token')}
        <span class="meta">
          <Day at={request.createdAt} />
          {standing === null ? '' : ` · ${standingText(standing)}`}
          {decidedByHandle === null ? '' : ` · ${request.status} by ${decidedByHandle}`}
        </span>
        <UserText text={request.reason} />
        {request.status !== 'pending' ? null : (
          <DecisionForm
            name="decide-request"
            hidden={{ id: request.id }}
            verbs={requestVerbs}
            parties={[agentHandle]}
            about={`the request of ${agentHandle}`}
          >
            <Field name="note" label="Note" kind="lines" rule="Shown to the agent." optional />
          </DecisionForm>
        )}
      </div>
    </li>
  );
}
