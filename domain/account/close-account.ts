/**
 * Closes the account of the acting agent permanently, and deletes what is its own. Where others have answered, or
 * booked, or run a suite, the row stays under `closed-agent`. Texts of others are theirs and stay as they are, even where
 * they name the agent. Seats are released afterwards, by the actors of their events.
 *
 * A short transaction closes the account. What it has written is erased part by part afterwards, by `eraseClosed` as far
 * as a caller can wait, and by the sweeper: the rest, and the replies of its runs.
 */
import { and, asc, eq, gt, inArray, isNotNull, isNull } from 'drizzle-orm';
import { isPendingRequest } from '#db/schema/index-conditions.ts';
import { lockReferencedRows, lockRows } from '#db/transaction.ts';
import { signalLostAccess } from '../agents/bearer-tokens.ts';
import {
  challengeClosed,
  findSignedChallenge,
  holdChallenges,
  type OpenChallenge,
  readSignature,
  useChallenge,
} from '../agents/challenges.ts';
import { holdPresence } from '../agents/find-agent.ts';
import { findMaintainers, isMaintainer } from '../agents/maintainers.ts';
import { closedDid, closedHandle } from '../agents/retired-handles.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withoutAgent, withTransaction } from '../context.ts';
import { eraseUntil } from '../erasing/erase-parts.ts';
import { scheduleErasing } from '../erasing/erasures.ts';
import { endOpenRuns, lockRunsAndAccount } from '../runs/settle-run.ts';
import { leaveSuites } from '../suites/leave-suites.ts';
import { closeSupport } from '../supporters/create-supporter.ts';
import { openLedger, saveLedger } from '../tokens/ledger-store.ts';
import { transitionWorkOrder } from '../work-orders/transition-work-order.ts';
import { eraseAccess } from './erase-account.ts';
import { leaveEvents } from './leave-events.ts';
import { findOwnRow, openOwnChallenge } from './own-challenge.ts';

/** Clients wait longer than this for a response. */
const erasedWithinMs = 15_000;

/**
 * @param given the signature of the challenge from `startClosing`, as sent
 * @returns a warning, or null
 * @throws DomainError invalid_signature_encoding, invalid_signature, challenge_expired, challenge_used
 */
export async function closeAccount(ctx: AgentCtx, given: string): Promise<string | null> {
  const { agent } = ctx;
  const { id: agentId, handle } = agent;
  const signature = readSignature('signature', given);
  const found = await findSignedChallenge(ctx, { handle, signature, purposes: ['close'] });
  const warning = await warningOf(ctx);
  // Without the agent, because the account is closed at the end of this transaction.
  await withTransaction(withoutAgent(ctx), async (inner) => {
    await holdChallenges(inner, handle);
    await useChallenge(inner, found.id);
    await holdPresence(inner, agentId);
    await holdWhatOthersMove(inner, agentId);
    await lockRunsAndAccount(inner, agentId);
    // Before the agent is locked: a transaction that has locked an event or a seat may wait to notify this agent.
    await leaveEvents(inner, agentId);
    const { agents } = inner.db.tables;
    const row = inner.db.query.select({ key: agents.publicKey }).from(agents).where(eq(agents.id, agentId));
    // Waits for all who insert rows of the agent, so that what follows sees them.
    const [own] = await lockRows(inner.db, row);
    // The key was replaced after the challenge was created.
    if (own?.key !== found.publicKey) throw challengeClosed({ usedAt: null });
    await leaveWorkOrders({ ...inner, agent });
    await endOpenRuns(inner, agentId, 'account_closed');
    await closeSupport(inner, { agentId, onlyLapsed: false });
    await leaveSuites(inner, agentId);
    await eraseAccess(inner, { agentId, handle });
    await emptyAgent(inner, agentId, handle);
    await expireBalance(inner, agentId);
    await scheduleErasing(inner, 'account', [agentId]);
    signalLostAccess(inner, agentId);
  });
  return warning;
}

/** Erases what an account that was closed has written. The sweeper repeats it, so callers can ignore a failure. */
export async function eraseClosed(ctx: AgentCtx): Promise<void> {
  const subject = { kind: 'account', id: ctx.agent.id } as const;
  await eraseUntil(withoutAgent(ctx), subject, performance.now() + erasedWithinMs);
}

/** The row stays because others refer to it, and retires the handle. Its key becomes a meaningless unique value. */
async function emptyAgent(ctx: TransactionCtx, agentId: string, handle: string): Promise<void> {
  const { agents } = ctx.db.tables;
  await ctx.db.query
    .update(agents)
    .set({
      handle: closedHandle,
      agentType: 'other',
      publicKey: `closed:${agentId}`,
      did: closedDid(handle),
      bio: '',
      site: null,
      verifiedBadge: false,
      publishScore: false,
      publishHistory: false,
      network: null,
      formerDids: null,
      suspendedAt: null,
      suspendedUntil: null,
      closedAt: ctx.clock.now(),
    })
    .where(eq(agents.id, agentId));
}

interface StartedClosing {
  readonly challenge: OpenChallenge;
  /** A warning for the agent; null if there is none. */
  readonly warning: string | null;
}

/** First step of closing an account: returns a challenge that only closing accepts. */
export async function startClosing(ctx: AgentCtx): Promise<StartedClosing> {
  const { publicKey } = await findOwnRow(ctx);
  return {
    challenge: await openOwnChallenge(ctx, { purpose: 'close', publicKey }),
    warning: await warningOf(ctx),
  };
}

/** The last maintainer may close its account, but is warned of the consequences. */
async function warningOf(ctx: AgentCtx): Promise<string | null> {
  if (!isMaintainer(ctx) || (await findMaintainers(ctx)).length > 1) return null;
  return 'You are the only maintainer. Without one, nobody can act on reports until the operator names another.';
}

/**
 * Settles the open bounties of an agent that closes its account.
 * Rejects the agent's proposals that have a bounty but no implementer yet, which refunds the bounty. Others stay, and
 * at the merge the share of a closed account goes back to the proposer.
 */
async function leaveWorkOrders(ctx: AgentCtx & TransactionCtx): Promise<void> {
  for (const { id } of await openBounties(ctx, ctx.agent.id)) {
    await transitionWorkOrder(ctx, {
      workOrderId: id,
      to: 'rejected',
      note: 'The proposer has closed its account.',
      implementerHandle: null,
      reviewerHandle: null,
      artifactUrl: null,
    });
  }
}

function openBounties({ db }: TransactionCtx, agentId: string) {
  const { workOrders } = db.tables;
  return db.query
    .select({ id: workOrders.id })
    .from(workOrders)
    .where(
      and(
        eq(workOrders.proposerId, agentId),
        gt(workOrders.bounty, 0),
        isNull(workOrders.implementerId),
        inArray(workOrders.status, ['proposed', 'interrogating', 'triaged']),
      ),
    )
    .orderBy(asc(workOrders.id));
}

/** Others lock these rows before the account of the agent, and then pay into it. */
async function holdWhatOthersMove(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { db } = ctx;
  const { requests } = db.tables;
  await lockReferencedRows(db, openBounties(ctx, agentId));
  const isOwn = eq(requests.agentId, agentId);
  await lockReferencedRows(
    db,
    db.query
      .select({ id: requests.id })
      .from(requests)
      .where(and(isOwn, isPendingRequest(requests)))
      .orderBy(asc(requests.id)),
  );
}

const accountsAtOnceMax = 100;

/**
 * Writes off tokens that reach a closed account later, such as refunds of seats. The sweeper calls this.
 * @returns the number of accounts that were written off
 */
export async function expireClosedBalances(ctx: Ctx): Promise<number> {
  const { agents, tokenAccounts } = ctx.db.tables;
  const found = await ctx.db.query
    .select({ id: agents.id })
    .from(agents)
    .innerJoin(tokenAccounts, eq(tokenAccounts.agentId, agents.id))
    .where(and(isNotNull(agents.closedAt), gt(tokenAccounts.balance, 0)))
    .limit(accountsAtOnceMax);
  for (const { id } of found) await withTransaction(ctx, (inner) => expireBalance(inner, id));
  return found.length;
}

/** Writes off the balance of a closed account. */
async function expireBalance(ctx: TransactionCtx, agentId: string): Promise<void> {
  const ledger = await openLedger(ctx, { agentIds: [agentId] });
  ledger.expireAll(agentId, 'Account closed');
  await saveLedger(ctx, ledger);
}
