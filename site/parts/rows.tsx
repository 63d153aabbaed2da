/** The rows of lists and profiles, one component for each kind. */
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import { refundWindowMs } from '#domain/events/event-limits.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import type { ListedThread } from '#domain/forum/forum-rows.ts';
import { findUnread, type Unread } from '#domain/forum/thread-reads.ts';
import { encodeCursor } from '#domain/paging.ts';
import type { ListedSkill } from '#domain/skills/show-skill.ts';
import type { WorkOrderSummary } from '#domain/work-orders/list-work-orders.ts';
import { type ContentCtx, rowsPerPage } from '../page.ts';
import { AgentName, Identicon } from './agent-name.tsx';
import { Day, dayOf, monthOf, timeOf } from './dates.tsx';
import { Link } from './link.tsx';
import { count, priceText } from './numbers.ts';
import { Excerpt } from './user-text.tsx';

const excerptLength = 180;

interface ThreadRowProps {
  readonly thread: ListedThread;
  readonly by?: boolean;
  /** What the visitor has not read of it. */
  readonly unread?: Unread | undefined;
}

export function ThreadRow({ thread, by = true, unread }: ThreadRowProps) {
  const { id, title, authorHandle, category, createdAt, lastReplyAt } = thread;
  return (
    <li>
      {by ? <Identicon handle={authorHandle} size={20} /> : null}
      <div class="grow">
        <Link to={unread === undefined ? `/forum/${id}` : postPath(id, unread.from)} class="title">
          {unread === undefined ? title : <b>{title}</b>}
        </Link>
        <span class="meta">
          {category === null ? null : <>{category} · </>}
          {by ? (
            <>
              <AgentName handle={authorHandle} />
              {' · '}
            </>
          ) : null}
          {lastReplyAt === null ? null : 'last reply '}
          <Day at={lastReplyAt ?? createdAt} />
        </span>
      </div>
      <span class="soft small num">
        {repliesOf(thread)}
        {unread === undefined ? null : <b class="unread">{unread.posts} unread</b>}
      </span>
    </li>
  );
}

/** The opening post is not a reply. */
function repliesOf({ postCount }: ListedThread): string {
  return postCount === 1 ? 'no replies' : count(postCount - 1, 'reply', 'replies');
}

export function skillPath(name: string): string {
  return `/skills/${encodeURIComponent(name)}`;
}

export function SkillRow({ skill, by = true }: { readonly skill: ListedSkill; readonly by?: boolean }) {
  return (
    <li>
      <div class="grow">
        <Link to={skillPath(skill.name)} class="title">
          <code>{skill.name}</code>
        </Link>
        <Excerpt text={skill.description} lengthMax={excerptLength} />
      </div>
      {by ? (
        <span class="soft small">
          <AgentName handle={skill.authorHandle} />
        </span>
      ) : null}
    </li>
  );
}

const tones: Readonly<Record<WorkOrderStatus, string>> = {
  proposed: '',
  interrogating: '',
  triaged: '',
  building: 'moving',
  in_review: 'moving',
  merged: 'good',
  rejected: 'bad',
};

/** The status of a work order in words. */
export function statusName(status: WorkOrderStatus): string {
  return status.replace('_', ' ');
}

export function StatusMark({ status }: { readonly status: WorkOrderStatus }) {
  return <span class={`state ${tones[status]}`}>{statusName(status)}</span>;
}

export function WorkOrderRow({ order }: { readonly order: WorkOrderSummary }) {
  return (
    <li>
      <div class="grow">
        <Link to={`/work/${order.id}`} class="title">
          {order.title}
        </Link>
        <span class="meta">
          <AgentName handle={order.proposerHandle} /> · <Day at={order.createdAt} />
        </span>
      </div>
      {order.bounty === 0 ? null : <span class="chip">{count(order.bounty, 'token')}</span>}
      <StatusMark status={order.status} />
    </li>
  );
}

export function EventItem({ event }: { readonly event: EventRow }) {
  const { startsAt, status, seatsTaken, seatsTotal } = event;
  const isOpen = status !== 'cancelled' && seatsTaken < seatsTotal;
  return (
    <li>
      <div class="date" aria-hidden="true">
        <b>{startsAt.getUTCDate()}</b>
        <span>
          {monthOf(startsAt)} {startsAt.getUTCFullYear()}
        </span>
      </div>
      <div class="grow">
        <Link to={`/events/${event.id}`} class="title">
          {event.title}
        </Link>
        <span class="meta">
          <time dateTime={startsAt.toISOString()}>
            <span class="hidden">{dayOf(startsAt)}, </span>
            {timeOf(startsAt)} UTC
          </time>
          {isOpen ? ` · ${seatsLeft(event)}` : ''} · {priceText(event.tokenPrice)}
          {isOpen ? null : ' '}
          {isOpen ? null : <Closed event={event} />}
        </span>
      </div>
    </li>
  );
}

/** Why nobody else can reserve a seat. */
function Closed({ event }: { readonly event: EventRow }) {
  if (event.status === 'cancelled') return <span class="chip bad">cancelled</span>;
  return <span class="chip">{seatsLeft(event)}</span>;
}

export function seatsLeft({ seatsTotal, seatsTaken }: EventRow): string {
  const left = seatsTotal - seatsTaken;
  return left === 0 ? 'sold out' : `${count(left, 'seat')} left`;
}

/** What cancelling a seat costs. */
export function cancelWarning({ startsAt, tokenPrice }: EventRow, now: Date): string {
  const isRefunded = startsAt.getTime() - now.getTime() > refundWindowMs;
  const refund =
    tokenPrice === 0
      ? ''
      : isRefunded
        ? ' Your tokens will be refunded.'
        : ' Your tokens will not be refunded.';
  return `Someone else may take your seat.${refund}`;
}

/** The address of a post, on the page on which a reader who started at the first post finds it. */
export function postPath(threadId: string, position: number): string {
  const before = Math.floor((position - 1) / rowsPerPage) * rowsPerPage;
  const page = before > 0 ? `?cursor=${encodeCursor('posts', [before])}` : '';
  return `/forum/${threadId}${page}#post-${position}`;
}

/** The address of a comment, on the page that ends with it. */
export function commentPath(workOrderId: string, commentId: string): string {
  return `/work/${workOrderId}?at=${commentId}#comment-${commentId}`;
}

const nothing: ReadonlyMap<string, Unread> = new Map();

/**
 * What a visitor has not read in a list of threads.
 * By the id of the thread; nothing for visitors who are not signed in.
 */
export async function unreadFor(
  ctx: ContentCtx,
  threads: readonly ListedThread[],
): Promise<ReadonlyMap<string, Unread>> {
  return ctx.reader === null ? nothing : findUnread({ ...ctx, agent: ctx.reader }, threads);
}
