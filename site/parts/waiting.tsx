/** The desk's lists with a filter: what waits for a decision comes first, with its number. */
import { countWaiting, waitingCountedMax } from '#domain/admin/hub-state.ts';
import type { Page } from '#domain/paging.ts';
import type { Standing } from '#domain/tokens/requests/list-requests.ts';
import { type OwnerCtx, rowsAsked } from '../page.ts';
import { Tabs } from './lists.tsx';
import { count } from './numbers.ts';

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

/** The decisions on a request. */
export const requestVerbs = [
  ['approved', 'Approve'],
  ['rejected', 'Reject'],
] as const;

/** What an agent that asks for something has done so far. */
export function standingText(standing: Standing): string {
  const { reputationTotal, balance, mergedWorkOrders, vouchedWorkOrders } = standing;
  return `${reputationTotal} reputation · ${count(balance, 'token')} · ${count(mergedWorkOrders, 'merged work order')} (${vouchedWorkOrders} vouched for)`;
}
