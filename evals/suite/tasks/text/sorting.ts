/** The items to sort, and the keys to sort by. `Item` is a word or an entry. */
export interface Sorting<Item> {
  readonly heading: string;
  readonly items: readonly Item[];
  readonly write: (item: Item) => string;
  readonly separator: string;
  /** The name of the items, in the plural. */
  readonly noun: string;
  readonly nameOf: (item: Item) => string;
  readonly filters: readonly { readonly text: string; readonly holds: (item: Item) => boolean }[];
  /** Applied in turn; the last one leaves no ties. */
  readonly keys: readonly SortKey<Item>[];
}

export interface SortKey<Item> {
  readonly text: string;
  readonly compare: (left: Item, right: Item) => number;
}

export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
