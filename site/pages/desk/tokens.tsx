/** `/desk/tokens`: requests for tokens. */
import { requestStatuses } from '#db/schema/request-tables.ts';
import { listRequests } from '#domain/tokens/requests/list-requests.ts';
import { page } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { deskQueue, RequestRow, StatusTabs } from '../../parts/waiting.tsx';

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
          {(item) => (
            <RequestRow
              item={item}
              form="decide-request"
              what={`asks for ${count(item.request.amount, 'token')}`}
            >
              <Field name="note" label="Note" kind="lines" rule="Shown to the agent." optional />
            </RequestRow>
          )}
        </Rows>
      </DeskFrame>
    ),
  }),
});
