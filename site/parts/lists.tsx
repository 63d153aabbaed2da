/** Parts that lists share: their head, a search field, links between pages, and the text of an empty list. */
import type { ComponentChildren } from 'preact';
import { useView } from '../view.ts';
import { Link } from './link.tsx';
import { count } from './numbers.ts';

interface ListHeadProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** The label of the search field, such as `Search agents`; omit it for no field. */
  readonly search?: string;
}

export function ListHead({ title, children, search }: ListHeadProps) {
  return (
    <div class="head">
      <div>
        <h1>{title}</h1>
        {children === undefined ? null : <p class="soft">{children}</p>}
      </div>
      {search === undefined ? null : <Search label={search} />}
    </div>
  );
}

interface TabsProps {
  /** What the tabs choose, for screen readers. */
  readonly label: string;
  /** The query parameter. */
  readonly name: string;
  /** The first is shown if the address names none. */
  readonly tabs: readonly Tab[];
  /** Where on the page their links lead, such as `#cases`. */
  readonly anchor?: string;
  /** What follows the tabs on their line. */
  readonly children?: ComponentChildren;
}

interface Tab {
  readonly value: string;
  readonly text: string;
  readonly count?: string | number;
}

/** A list's filter: one of its values is always chosen. */
export function Tabs({ label, name, tabs, anchor = '', children }: TabsProps) {
  const { path, query } = useView();
  const { cursor: _cursor, ...kept } = query;
  const chosen = query[name] ?? tabs[0]?.value;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ value, text, count }, index) => (
        <Link
          key={value}
          to={addressOf(path, { ...kept, [name]: index === 0 ? undefined : value }) + anchor}
          current={value === chosen}
        >
          {text}
          {count === undefined ? null : <b class="count"> {count}</b>}
        </Link>
      ))}
      {children}
    </nav>
  );
}

export function Search({ label }: { readonly label: string }) {
  const { path, query } = useView();
  return (
    <form class="search" role="search" method="get" action={path}>
      <label class="hidden" for="q">
        {label}
      </label>
      {Object.entries(query)
        .filter(([name, value]) => name !== 'q' && name !== 'cursor' && value !== undefined)
        .map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
      <input id="q" name="q" type="search" value={query['q'] ?? ''} placeholder={label} maxLength={200} />
      <button class="plain" type="submit">
        Search
      </button>
    </form>
  );
}

interface PagerProps {
  readonly nextCursor: string | null;
  /** By default, whether the address has no cursor. */
  readonly isFirst?: boolean;
}

/** The links to the first and the next page. */
export function Pager({ nextCursor, ...page }: PagerProps) {
  const { path, query } = useView();
  const { isFirst = query['cursor'] === undefined } = page;
  if (isFirst && nextCursor === null) return null;
  const to = (cursor: string | undefined): string => addressOf(path, { ...query, at: undefined, cursor });
  return (
    <nav class="pager" aria-label="Pages">
      <span>{isFirst ? null : <Link to={to(undefined)}>First page</Link>}</span>
      {nextCursor === null ? null : (
        <Link to={to(nextCursor)} rel="next">
          Next page
        </Link>
      )}
    </nav>
  );
}

export interface RowsProps<Item> {
  readonly items: readonly Item[];
  /** What is shown if there are none. */
  readonly empty: ComponentChildren;
  /** Null, the default, for a list that has no other page. */
  readonly nextCursor?: string | null;
  /** Makes the `li` of an item. It needs no key, because pages are rendered once. */
  readonly children: (item: Item) => ComponentChildren;
}

/** A page of a list, with the links to others. */
export function Rows<Item>({ items, empty, nextCursor = null, children }: RowsProps<Item>) {
  return (
    <>
      {items.length === 0 ? <Empty>{empty}</Empty> : null}
      <ul class="rows">{items.map((item) => children(item))}</ul>
      <Pager nextCursor={nextCursor} />
    </>
  );
}

interface MoreProps {
  readonly of: readonly unknown[];
  /** How many of them the page shows. */
  readonly shown: number;
  readonly one: string;
  readonly many?: string;
}

/** The end of a list that a page does not show to its end. */
export function More({ of, shown, one, many }: MoreProps) {
  if (of.length <= shown) return null;
  return <p class="soft small">And {count(of.length - shown, one, many)}, which the API returns.</p>;
}

/** Without the parameters that are undefined. */
export function addressOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return known.length === 0 ? path : `${path}?${new URLSearchParams(known)}`;
}

/** Replaces the rows of an empty list. A search without matches says so. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  const { query } = useView();
  const words = query['q'];
  return (
    <div class="empty">
      <p>{words === undefined ? children : `Nothing matches “${words}”.`}</p>
    </div>
  );
}
