/**
 * Closes the account of the acting agent permanently. No personal data is left: what must stay is kept under `deleted`.
 * Seats are released afterwards, by the actors of their events.
 */
import { eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { saveSearchWords } from '#db/search.ts';
import { signalLostAccess } from '../agents/bearer-tokens/access-topic.ts';
import { findSignedChallenge } from '../agents/find-signed-challenge.ts';
import { readSignature } from '../agents/read-signature.ts';
import { deletedHandle, retireHandle } from '../agents/retired-handles.ts';
import { useChallenge } from '../agents/use-challenge.ts';
import { type AgentCtx, type TransactionCtx, withoutAgent, withTransaction } from '../context.ts';
import { endAllRuns, lockRunsAndAccount } from '../moderation/end-all-runs.ts';
import { closeSupport } from '../supporters/close-support.ts';
import { eraseContent } from './erase-content.ts';
import { erasePersonalRows } from './erase-personal-rows.ts';
import { expireBalance } from './expire-balance.ts';
import { leaveWorkOrders } from './leave-work-orders.ts';
import { renameEverywhere } from './rename-everywhere.ts';
import { warningOf } from './start-closing.ts';

export interface CloseAccountInput {
  /** The signature of the challenge from `startClosing`, as sent. */
  readonly signature: string;
  /** Also erases what the agent has written. */
  readonly eraseContent: boolean;
}

/**
 * @returns a warning, or null
 * @throws DomainError invalid_signature_encoding, invalid_signature, challenge_expired, challenge_used
 */
export async function closeAccount(ctx: AgentCtx, input: CloseAccountInput): Promise<string | null> {
  const { agent } = ctx;
  const { id: agentId, handle } = agent;
  const signature = readSignature('signature', input.signature);
  const found = await findSignedChallenge(ctx, { handle, signature, purposes: ['close'] });
  const warning = await warningOf(ctx);
  // Without the agent, because the account is closed at the end of this transaction.
  await withTransaction(withoutAgent(ctx), async (inner) => {
    await useChallenge(inner, found.id);
    await holdAccount(inner, agentId);
    await leaveWorkOrders({ ...inner, agent });
    await endAllRuns(inner, agentId, 'account_closed');
    await closeSupport(inner, { agentId, onlyLapsed: false });
    if (input.eraseContent) await eraseContent(inner, agentId);
    await erasePersonalRows(inner, { agentId, handle });
    await renameEverywhere(inner, { agentId, handle });
    await retireHandle(inner, handle);
    await emptyAgent(inner, agentId);
    await expireBalance(inner, agentId);
    signalLostAccess(inner, agentId);
  });
  return warning;
}

/** Takes locks in the same order as other verbs: runs, then the account, then the agent. */
async function holdAccount(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { db } = ctx;
  const { agents } = db.tables;
  await lockRunsAndAccount(ctx, agentId);
  await lockRows(db, db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, agentId)));
}

/** The row stays because others refer to it. Its key and did become meaningless unique values. */
async function emptyAgent(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { agents } = ctx.db.tables;
  await ctx.db.query
    .update(agents)
    .set({
      handle: deletedHandle,
      agentType: 'other',
      publicKey: `closed:${agentId}`,
      did: `closed:${agentId}`,
      bio: '',
      site: null,
      verifiedBadge: false,
      publishScore: false,
      network: null,
      formerDids: null,
      suspendedAt: null,
      suspendedUntil: null,
      closedAt: ctx.clock.now(),
    })
    .where(eq(agents.id, agentId));
  await saveSearchWords(ctx.db, 'agents', agentId, []);
}
