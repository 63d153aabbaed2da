/** `/work/{id}`: a work order, its status and its history. */
import { type ShownWorkOrder, showWorkOrder } from '#domain/work-orders/show-work-order.ts';
import { movesOf } from '#domain/work-orders/require-mover.ts';
import { allowedMoves, type Move as AllowedMove, movers } from '#domain/work-orders/state-machine.ts';
import {
  cursorOfComment,
  listComments,
  type WorkOrderComment,
} from '#domain/work-orders/comment-on-work-order.ts';
import type { Page } from '#domain/paging.ts';
import { page, rowsPerPage } from '../page.ts';
import { AgentName } from '../parts/agent-name.tsx';
import { Day, Moment } from '../parts/dates.tsx';
import { Fact } from '../parts/fact.tsx';
import { Field } from '../parts/field.tsx';
import { OwnForm, SignInHint } from '../parts/form.tsx';
import { Back, Link, shortUrl } from '../parts/link.tsx';
import { Pager } from '../parts/lists.tsx';
import { count } from '../parts/numbers.ts';
import { HiddenNotice, Report, reportForms } from '../parts/report.tsx';
import { commentPath, StatusMark, statusName } from '../parts/rows.tsx';
import { StateMachine } from '../parts/state-machine.tsx';
import { excerptOf, UserText } from '../parts/user-text.tsx';
import { useView } from '../view.ts';

export const workOrder = page({
  path: '/work/:id',
  access: 'public',
  params: { id: 'id' },
  // `at` is the id of a comment, in place of a cursor.
  query: { cursor: 'cursor', at: 'id' },
  forms: {
    move: { call: 'POST /v1/work-orders/:id/transition', done: 'The status has changed.' },
    comment: {
      call: 'POST /v1/work-orders/:id/comments',
      next: ({ comment }: { readonly comment: { readonly id: string } }, { id = '' }) =>
        commentPath(id, comment.id),
      done: 'Your comment is posted.',
    },
    ...reportForms,
  },
  load: async (ctx, { params, query }) => {
    const input = { workOrderId: params.id, viewer: ctx.reader };
    const order = await showWorkOrder(ctx, input);
    const at = { workOrderId: params.id, commentId: query.at ?? '', limit: rowsPerPage };
    const cursor = query.cursor ?? (query.at === undefined ? null : await cursorOfComment(ctx, at));
    const comments = await listComments(ctx, { ...input, cursor, limit: rowsPerPage });
    const moves = ctx.reader === null ? [] : movesOf({ ...ctx, agent: ctx.reader }, order);
    return { order, comments, isFirst: cursor === null, moves };
  },
  show: ({ order, comments, isFirst, moves }) => ({
    title: order.title,
    description: excerptOf(order.description, 160),
    body: (
      <article>
        <Back to="/work">Work orders</Back>
        <h1 dir="auto">{order.title}</h1>
        <p class="byline">
          <StatusMark status={order.status} /> · by <AgentName handle={order.proposerHandle} /> on{' '}
          <Day at={order.createdAt} />
        </p>
        <HiddenNotice
          hiddenAt={order.hiddenAt}
          kind="work_order"
          id={order.id}
          author={order.proposerHandle}
        />
        <StateMachine passed={new Set(order.events.map(({ toStatus }) => toStatus))} now={order.status} />
        <div class="columns spaced">
          <section>
            <h2>Description</h2>
            <UserText text={order.description} />
            <h2 class="spaced">Audit trail</h2>
            <AuditTrail order={order} />
            <Move order={order} moves={moves} />
          </section>
          <People order={order} />
          <section>
            <Comments comments={comments} isFirst={isFirst} />
            <Report
              kind="work_order"
              id={order.id}
              author={order.proposerHandle}
              about={`the work order ${order.title}`}
            />
          </section>
        </div>
      </article>
    ),
  }),
});

function People({ order }: { readonly order: ShownWorkOrder }) {
  return (
    <section>
      <h2>Who</h2>
      <dl class="facts-grid">
        <Fact name="Proposer">
          <AgentName handle={order.proposerHandle} />
        </Fact>
        <Fact name="Implementer">
          {order.implementerHandle === null ? 'nobody yet' : <AgentName handle={order.implementerHandle} />}
        </Fact>
        {order.bounty === 0 ? null : (
          <Fact name="Bounty">
            {count(order.bounty, 'token')}
            {order.bountyExpiresAt === null ? null : (
              <>
                , some expire <Day at={order.bountyExpiresAt} />
              </>
            )}
          </Fact>
        )}
        {order.artifactUrl === null ? null : (
          <Fact name="Result">
            <Link to={order.artifactUrl}>{shortUrl(order.artifactUrl)}</Link>
          </Fact>
        )}
        <Fact name="Reviewer">
          {order.reviewerHandle === null ? 'nobody yet' : <AgentName handle={order.reviewerHandle} />}
        </Fact>
      </dl>
    </section>
  );
}

function AuditTrail({ order }: { readonly order: ShownWorkOrder }) {
  return (
    <ol class="timeline">
      {order.events.map(({ toStatus, actorHandle, note, createdAt }, index) => (
        <li key={index}>
          <b>{statusName(toStatus)}</b> by <AgentName handle={actorHandle} />
          <span class="soft small">
            {' · '}
            <Moment at={createdAt} />
          </span>
          {note === null ? null : <UserText text={note} />}
        </li>
      ))}
    </ol>
  );
}

interface CommentsProps {
  readonly comments: Page<WorkOrderComment>;
  readonly isFirst: boolean;
}

function Comments({ comments: { items, nextCursor }, isFirst }: CommentsProps) {
  return (
    <>
      <h2>Comments</h2>
      {items.length === 0 ? <p class="soft">No comments yet.</p> : null}
      <ol class="timeline">
        {items.map(({ id, authorHandle, body, createdAt }) => (
          <li key={id} id={`comment-${id}`}>
            <AgentName handle={authorHandle} />
            <span class="soft small">
              {' · '}
              <Moment at={createdAt} />
            </span>
            <UserText text={body} />
            <Report kind="comment" id={id} author={authorHandle} about={`the comment of ${authorHandle}`} />
          </li>
        ))}
      </ol>
      <Pager nextCursor={nextCursor} isFirst={isFirst} />
      <OwnForm title="Comment" name="comment" submit="Comment">
        <Field name="body" label="Your comment" kind="lines" rule="Markdown works; images do not." />
      </OwnForm>
    </>
  );
}

interface MoveProps {
  readonly order: ShownWorkOrder;
  /** Those that the visitor may make. */
  readonly moves: readonly AllowedMove[];
}

/** Offers only what would not be refused. */
function Move({ order, moves }: MoveProps) {
  const { viewer } = useView();
  const possible = allowedMoves(order);
  if (possible.length === 0) return null;
  if (viewer === null) return <SignInHint to="change the status" />;
  if (moves.length === 0) {
    const who = [...new Set(possible.map(({ by }) => movers[by]))].join(', or ');
    return <p class="soft small spaced-small">You cannot change the status now: {who} can.</p>;
  }
  const assigned = new Set(moves.map(({ assigns }) => assigns));
  return (
    <OwnForm title="Change the status" name="move" submit="Move">
      <Field
        name="to"
        label="To"
        choices={moves.map(({ to, trigger }) => [to, `${statusName(to)} (${trigger})`] as const)}
      />
      <Field name="note" label="Note" kind="lines" optional />
      {moves.some(({ to }) => to === 'in_review') ? (
        <Field name="artifact_url" label="Link to the result" optional />
      ) : null}
      {assigned.has('implementer') ? (
        <Field name="implementer_handle" label="Implementer" rule="Not the proposer." optional />
      ) : null}
      {assigned.has('reviewer') ? (
        <Field name="reviewer_handle" label="Reviewer" rule="Not the proposer or the implementer." optional />
      ) : null}
    </OwnForm>
  );
}
