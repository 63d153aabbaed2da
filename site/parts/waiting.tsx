/** The filter of the desk's lists: what waits for a decision comes first, with its number. */
import { waitingCountedMax } from '#domain/admin/hub-state.ts';
import { Tabs } from './lists.tsx';

/** Such as `7`, and `100+` for a queue that is not counted to its end. */
export function waitingText(waiting: number): string {
  return waiting < waitingCountedMax ? String(waiting) : `${waitingCountedMax}+`;
}

const all = 'all';

interface StatusTabsProps<Status extends string> {
  /** The first is that of items that wait for a decision. */
  readonly statuses: readonly Status[];
  readonly waiting: number;
}

export function StatusTabs<Status extends string>({ statuses, waiting }: StatusTabsProps<Status>) {
  const tabs = [...statuses, all].map((value, index) => ({
    value,
    text: value,
    ...(index === 0 ? { count: waitingText(waiting) } : {}),
  }));
  return <Tabs label="Status" name="status" tabs={tabs} />;
}

/** The query rule of a list with `StatusTabs`. */
export function statusRule(statuses: readonly string[]): readonly string[] {
  return [...statuses, all];
}

/** @returns the chosen status; null for all */
export function statusOf<const Status extends string>(
  statuses: readonly Status[],
  chosen: string | undefined,
): Status | null {
  if (chosen === all) return null;
  return statuses.find((status) => status === chosen) ?? statuses[0] ?? null;
}
