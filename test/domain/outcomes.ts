/** Outcomes of verbs: the errors they throw, counts over concurrent calls, pages, and what holds after all of them. */
import { expect } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
import type { Ctx } from '#domain/context.ts';
import { DomainError, type ErrorCode } from '#domain/errors.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';

/** Expects a verb to throw a DomainError, and returns it. */
export async function domainErrorOf(promise: Promise<unknown>): Promise<DomainError> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(DomainError);
  return outcome as DomainError; // Checked by the line above.
}

export async function codeOf(promise: Promise<unknown>): Promise<ErrorCode> {
  return (await domainErrorOf(promise)).code;
}

/** Counts the outcomes: `ok` or the error code. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(calls)) {
    const name =
      outcome.status === 'fulfilled'
        ? 'ok'
        : outcome.reason instanceof DomainError
          ? outcome.reason.code
          : String(outcome.reason);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The totals of the hub add up. */
export async function expectNoDrift(ctx: Pick<Ctx, 'db'>): Promise<void> {
  expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
}

/** What an agent can spend, and what its open runs hold. */
export async function balanceOf({ db, clock }: Ctx, { id }: { readonly id: string }) {
  return (await readBalances(db, [id], clock.now())).get(id)!;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The items of each page of a list, from the first page to the last. */
export async function allPages<Item>(
  list: (cursor: string | null) => Promise<Page<Item>>,
): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let cursor: string | null = null; pages.length === 0 || cursor !== null;) {
    const page: Page<Item> = await list(cursor);
    pages.push([...page.items]);
    cursor = page.nextCursor;
    expect(pages.length).toBeLessThan(300);
  }
  return pages;
}
