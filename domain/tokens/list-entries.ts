import { and, desc, eq, lt } from 'drizzle-orm';
import type { LedgerEntryKind } from '#db/schema/token-tables.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { LedgerEntry } from './ledger.ts';
import { settleAgentExpiries } from './settle-expiries.ts';

export interface ListEntriesInput extends PageInput {
  /** Only entries of this kind; null for all. */
  readonly kind: LedgerEntryKind | null;
}

/**
 * Lists the acting agent's ledger entries, newest first. The first page settles due expiries, so that the
 * entries add up to the balance that `readBalances` reports.
 *
 * @throws DomainError invalid_parameter if the cursor is not from this list
 */
export async function listEntries(ctx: AgentCtx, input: ListEntriesInput): Promise<Page<LedgerEntry>> {
  const { tokenEntries } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('entries', input.cursor, ['number'])[0];
  if (before === undefined) await settleAgentExpiries(ctx, ctx.agent.id);
  const rows = await ctx.db.query
    .select()
    .from(tokenEntries)
    .where(
      and(
        eq(tokenEntries.agentId, ctx.agent.id),
        before === undefined ? undefined : lt(tokenEntries.sequence, before),
        input.kind === null ? undefined : eq(tokenEntries.kind, input.kind),
      ),
    )
    .orderBy(desc(tokenEntries.sequence))
    .limit(input.limit + 1);
  return pageOf('entries', rows, input.limit, (entry) => [entry.sequence]);
}
