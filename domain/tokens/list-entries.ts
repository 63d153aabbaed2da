/** An agent's ledger, newest entry first. */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { LedgerEntryKind } from '#db/schema/token-tables.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { LedgerEntry } from './ledger-rows.ts';
import { settleAgentExpiries } from './settle-agent-expiries.ts';

export interface ListEntriesInput extends PageInput {
  /** Only entries of this kind; null for all. */
  readonly kind: LedgerEntryKind | null;
}

/**
 * The first page writes down the expiries that are due, so that the history adds up to the balance that
 * `readBalances` gives (interface.md "Token ledger": expiries are applied when read).
 *
 * @throws DomainError invalid_parameter when the cursor is not of this list
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
