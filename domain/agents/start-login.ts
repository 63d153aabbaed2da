/** Gives an agent whose token is lost or leaked a challenge to prove its key again. */
import { and, asc, eq, gte, isNull } from 'drizzle-orm';
import { lockName } from '#db/transaction.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { loginReuseSecondsMin, openLoginsMax } from './agent-limits.ts';
import { type ChallengeRow, createChallenge, type OpenChallenge, toOpenChallenge } from './challenges.ts';
import { holdAgentByHandle, requireAgent } from './find-agent.ts';
import { requireNotSuspended } from './token-bearers.ts';

/**
 * Opens a challenge for this login only, so that several programs can log in with one key at once. Once 64 are open, the
 * one that was returned least recently is returned again, so requests of strangers neither displace a challenge nor use
 * up the places.
 *
 * @throws DomainError unknown_handle if no verified agent has the handle, agent_suspended
 */
export async function startLogin(ctx: Ctx, { handle }: { readonly handle: string }): Promise<OpenChallenge> {
  // Without a transaction: anyone may ask for any handle.
  requireNotSuspended(await requireAgent(ctx.db, handle), ctx.clock.now());
  return withTransaction(ctx, async (inner) => {
    const { challenges } = inner.db.tables;
    // Concurrent calls must not exceed the limit together.
    await lockName(inner.db, `logins of ${handle}`);
    const now = inner.clock.now();
    const open = await listOpenLogins(inner, handle, now);
    const turn = 1 + (open.at(-1)?.turn ?? 0);
    const [first] = open;
    if (first !== undefined && open.length >= openLoginsMax) {
      const isOpen = and(eq(challenges.id, first.id), isNull(challenges.usedAt));
      const again = await inner.db.query.update(challenges).set({ turn }).where(isOpen).returning();
      // Otherwise, a login has ended in the meantime, and its place is free.
      if (again.length > 0) return toOpenChallenge(first, now);
    }
    // Not before the challenges: the end of a login holds one while it waits for the agent.
    const { publicKey } = await holdAgentByHandle(inner, handle);
    const login = {
      ...createChallenge(inner, { purpose: 'login', handle, publicKey, profile: null }),
      turn,
    };
    await inner.db.query.insert(challenges).values(login);
    return toOpenChallenge(login, login.createdAt);
  });
}

/** Those with enough time left to sign, the least recently returned one first. If clocks disagree, there may be more. */
function listOpenLogins({ db }: TransactionCtx, handle: string, now: Date): Promise<ChallengeRow[]> {
  const { challenges } = db.tables;
  return db.query
    .select()
    .from(challenges)
    .where(
      and(
        eq(challenges.handle, handle),
        eq(challenges.purpose, 'login'),
        isNull(challenges.usedAt),
        gte(challenges.expiresAt, new Date(now.getTime() + loginReuseSecondsMin * 1_000)),
      ),
    )
    .orderBy(asc(challenges.turn), asc(challenges.id));
}
