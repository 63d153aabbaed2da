/** A maintainer grants tokens to an agent. */
import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { violatesUnique } from '#db/errors.ts';
import { requireAgent } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { requireFuture } from '../require-future.ts';
import { openLedger, saveLedger } from './ledger-store.ts';
import type { LedgerEntry } from './ledger.ts';

export const grantAmountMax = 1_000_000;
/** In code points. */
export const grantReasonMax = 200;
/** In code points. */
export const grantReferenceMax = 200;

export interface GrantTokensInput {
  readonly handle: string;
  /** 1 to `grantAmountMax`. */
  readonly amount: number;
  readonly reason: string;
  readonly expiresAt: Date | null;
  /** An idempotency reference: repeating it does not grant again. */
  readonly reference: string | null;
}

interface GrantTokensResult {
  readonly entry: LedgerEntry;
  /** The agent's current balance. */
  readonly balance: number;
  /** False if this reference was granted before. */
  readonly granted: boolean;
}

/** @throws DomainError maintainer_only, unknown_agent, conflict, invalid_body */
export async function grantTokens(ctx: AgentCtx, input: GrantTokensInput): Promise<GrantTokensResult> {
  requireMaintainer(ctx);
  assertAmount(input.amount);
  try {
    return await withTransaction(ctx, async (inner) => {
      const agent = await requireAgent(inner.db, input.handle, 'handle');
      const ledger = await openLedger(inner, { agentIds: [agent.id] });
      const first = await findGrant(inner.db, input.reference);
      if (first !== null) {
        assertSameGrant(first, agent.id, input);
        await saveLedger(inner, ledger);
        return { entry: first, balance: ledger.account(agent.id).balance, granted: false };
      }
      // Checked only for new grants: a repeated one may have expired since.
      if (input.expiresAt !== null) requireFuture('expires_at', input.expiresAt, ledger.now);
      const entry = ledger.grant({ ...input, agentId: agent.id });
      await saveLedger(inner, ledger);
      await notifyAgents(inner, [grantNotice(entry)]);
      return { entry, balance: entry.balanceAfter, granted: true };
    });
  } catch (error) {
    // Concurrent grants with the same reference to different agents lock different accounts, so the unique
    // index decides.
    if (violatesUnique(error, 'token_entries_reference_unique', 'token_entries.reference'))
      throw referenceReused();
    throw error;
  }
}

function assertAmount(amount: number): void {
  if (Number.isInteger(amount) && amount >= 1 && amount <= grantAmountMax) return;
  throw new DomainError('invalid_body', `\`amount\` must be a whole number from 1 to ${grantAmountMax}.`);
}

async function findGrant(db: Database, reference: string | null): Promise<LedgerEntry | null> {
  if (reference === null) return null;
  const { tokenEntries } = db.tables;
  const [entry] = await db.query
    .select()
    .from(tokenEntries)
    .where(
      and(eq(tokenEntries.reference, reference), eq(tokenEntries.kind, 'grant'), eq(tokenEntries.source, '')),
    );
  return entry ?? null;
}

function assertSameGrant(first: LedgerEntry, agentId: string, input: GrantTokensInput): void {
  if (first.agentId !== agentId || first.amount !== input.amount) throw referenceReused();
}

function referenceReused(): DomainError {
  return new DomainError('conflict', 'This `reference` belongs to another grant.', {
    hint: 'Use a new `reference` for a new grant. To read the first grant again, repeat its handle and amount.',
  });
}

/** The notice to the recipient of a grant. */
export function grantNotice({ agentId, amount, reason, reference, expiresAt }: LedgerEntry): Notice {
  const data = { amount, reason, reference, expires_at: expiresAt?.toISOString() ?? null };
  return { agentId, kind: 'tokens.granted', data };
}
