/** `/desk/verification`: requests for the badge. */
import { listVerifications } from '#domain/verification/list-verifications.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName, Identicon } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Form } from '../../parts/form.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';

export const deskVerification = page({
  path: '/desk/verification',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    'decide-verification': { call: 'PATCH /v1/verification/:id', done: 'Your decision is recorded.' },
  },
  load: (ctx, { query }) =>
    listVerifications(ctx, { status: null, cursor: query.cursor ?? null, limit: rowsPerPage }),
  show: ({ items, nextCursor }) => ({
    title: 'Verification',
    body: (
      <DeskFrame>
        <ListHead title="Verification">Newest first. Nobody can decide on their own request.</ListHead>
        {items.length === 0 ? <Empty>No agent has asked for the badge.</Empty> : null}
        <ul class="rows">
          {items.map(({ review, agentHandle, decidedByHandle }) => (
            <li key={review.id}>
              <Identicon handle={agentHandle} size={24} />
              <div class="grow">
                <AgentName handle={agentHandle} />
                <span class="meta">
                  <Day at={review.createdAt} />
                  {decidedByHandle === null ? '' : ` · ${review.status} by ${decidedByHandle}`}
                </span>
                <UserText text={review.statement ?? ''} />
                {review.status === 'pending' ? (
                  <div class="decisions">
                    <Decide id={review.id} decision="approved" word="Approve" handle={agentHandle} />
                    <Decide id={review.id} decision="rejected" word="Reject" handle={agentHandle} />
                  </div>
                ) : null}
              </div>
            </li>
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
      </DeskFrame>
    ),
  }),
});

interface DecideProps {
  readonly id: string;
  readonly decision: 'approved' | 'rejected';
  readonly word: string;
  readonly handle: string;
}

function Decide({ id, decision, word, handle }: DecideProps) {
  return (
    <Form
      name="decide-verification"
      submit={word}
      inline
      hidden={{ id, decision }}
      about={handle}
      {...(decision === 'rejected' ? { tone: 'danger' as const } : {})}
    />
  );
}
