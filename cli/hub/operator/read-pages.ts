/** Reads a list page by page, up to a limit. */
import type { Page, PageInput } from '#domain/paging.ts';

const pageMax = 100;

export interface Listed<Item> {
  readonly items: readonly Item[];
  /** Whether there are more items than requested. */
  readonly more: boolean;
}

export async function readPages<Item>(
  limit: number,
  readPage: (page: PageInput) => Promise<Page<Item>>,
): Promise<Listed<Item>> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await readPage({ limit: Math.min(pageMax, limit - items.length), cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < limit);
  return { items, more: cursor !== null };
}

/** The last line of a table that is not complete. */
export function moreLines(more: boolean): readonly string[] {
  return more ? ['There are more. Use --limit to show them.'] : [];
}
