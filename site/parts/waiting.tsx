/** The desk's lists with a filter: what waits for a decision comes first, with its number. */
import type { ComponentChildren } from 'preact';
import type { RequestKind } from '#db/schema/request-tables.ts';
import { countWaiting, waitingCountedMax } from '#domain/admin/hub-state.ts';
import type { Page } from '#domain/paging.ts';
import type { ShownRequest } from '#domain/requests/requests.ts';
import type { Standing, WithStanding } from '#domain/tokens/requests/list-requests.ts';
import { type OwnerCtx, rowsAsked } from '../page.ts';
import { AgentName, Identicon } from './agent-name.tsx';
import { Day } from './dates.tsx';
import { DecisionForm } from './form.tsx';
import { Tabs } from './lists.tsx';
import { count } from './numbers.ts';
import { UserText } from './user-text.tsx';

/** Such as `7`, and `100+` for a queue that is not counted to its end. */
export function waitingText(waiting: number): string {
  return waiting < waitingCountedMax ? String(waiting) : `${waitingCountedMax}+`;
}

const all = 'all';

interface StatusTabsProps {
  /** The first is that of items that wait for a decision. */
  readonly statuses: readonly string[];
  readonly waiting: number;
}

export function StatusTabs({ statuses, waiting }: StatusTabsProps) {
  const tabs = [...statuses, all].map((value, index) => ({
    value,
    text: value,
    ...(index === 0 ? { count: waitingText(waiting) } : {}),
  }));
  return <Tabs label="Status" name="status" tabs={tabs} />;
}

interface Queue<Status extends string, Item> {
  /** Those of its `StatusTabs`. */
  readonly statuses: readonly Status[];
  /** The name of its number in `countWaiting`. */
  readonly waiting: keyof Awaited<ReturnType<typeof countWaiting>>;
  readonly list: (
    ctx: OwnerCtx,
    asked: { readonly status: Status | null; readonly cursor: string | null; readonly limit: number },
  ) => Promise<Page<Item>>;
}

/** The query and the data of a page with `StatusTabs`. */
export function deskQueue<Status extends string, Item>({ statuses, waiting, list }: Queue<Status, Item>) {
  const query = { status: [...statuses, all], cursor: 'cursor' } as const;
  const load = async (
    ctx: OwnerCtx,
    { query: asked }: { readonly query: Readonly<Record<keyof typeof query, string | undefined>> },
  ) => {
    const status =
      asked.status === all ? null : (statuses.find((one) => one === asked.status) ?? statuses[0] ?? null);
    const [page, counts] = await Promise.all([list(ctx, { status, ...rowsAsked(asked) }), countWaiting(ctx)]);
    return { ...page, waiting: counts[waiting] };
  };
  return { query, load };
}

interface RequestRowProps {
  readonly item: WithStanding<ShownRequest<RequestKind>>;
  /** The name of the form that decides on it. */
  readonly form: string;
  /** Such as `asks for 5 tokens`. */
  readonly what: string;
  /** What the decision can be sent with. */
  readonly children?: ComponentChildren;
}

/** A request of an agent, with what it has done so far, and the decision on it. */
export function RequestRow({ item, form, what, children }: RequestRowProps) {
  const { request, agentHandle, decidedByHandle, standing } = item;
  const isPending = request.status === 'pending';
  return (
    <li>
      <Identicon handle={agentHandle} size={24} />
      <div class="grow">
        <AgentName handle={agentHandle} /> {what}
        <span class="meta">
          <Day at={request.createdAt} />
          {standing === null ? '' : ` · ${standingText(standing)}`}
          {isPending ? '' : ` · ${request.status} by ${decidedByHandle ?? 'the operator'}`}
        </span>
        <UserText text={request.reason ?? ''} />
        {isPending ? (
          <DecisionForm
            name={form}
            hidden={{ id: request.id }}
            verbs={requestVerbs}
            parties={[agentHandle]}
            about={`the request of ${agentHandle}`}
          >
            {children}
          </DecisionForm>
        ) : null}
      </div>
    </li>
  );
}

const requestVerbs = [
  ['approved', 'Approve'],
  ['rejected', 'Reject'],
] as const;

function standingText(standing: Standing): string {
  const { reputationTotal, balance, mergedWorkOrders, vouchedWorkOrders } = standing;
  return `${reputationTotal} reputation · ${count(balance, 'token')} · ${count(mergedWorkOrders, 'merged work order')} (${vouchedWorkOrders} vouched for)`;
}
