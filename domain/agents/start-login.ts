/** Gives an agent whose token is lost or leaked a challenge to prove its key again. */
import { and, eq, gte, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { lockRows } from '#db/locks.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { loginReuseSecondsMin } from './agent-limits.ts';
import { type ChallengeRow, createChallenge, type OpenChallenge, toOpenChallenge } from './challenges.ts';
import { findAgentByHandle, unknownHandle } from './find-agent.ts';
import { requireNotSuspended } from './suspension.ts';

export interface StartLoginInput {
  readonly handle: string;
}

/**
 * Returns the open login challenge, or creates one if it has less than five minutes left. Repeated requests return the
 * same challenge, so a stranger cannot displace the one that the agent is signing.
 *
 * @throws DomainError unknown_handle if no verified agent has the handle, agent_suspended
 */
export async function startLogin(ctx: Ctx, input: StartLoginInput): Promise<OpenChallenge> {
  const { handle } = input;
  const known = await findAgentByHandle(ctx.db, handle);
  if (known === null) throw unknownHandle(handle);
  requireNotSuspended(known, ctx.clock.now());
  // Most repeated calls return here, without a lock.
  const open = await findReusableLogin(ctx.db, handle, ctx.clock.now());
  if (open !== null) return toOpenChallenge(open, ctx.clock.now());
  return withTransaction(ctx, async (inner) => {
    const { agents, challenges } = inner.db.tables;
    const [agent] = await lockRows(
      inner.db,
      inner.db.query
        .select({ publicKey: agents.publicKey })
        .from(agents)
        .where(and(eq(agents.handle, handle), isOpenAccount(agents))),
    );
    if (agent === undefined) throw unknownHandle(handle);
    const now = inner.clock.now();
    // The previous holder of the lock may have added one.
    const added = await findReusableLogin(inner.db, handle, now);
    if (added !== null) return toOpenChallenge(added, now);
    const { publicKey } = agent;
    const login = createChallenge(inner, { purpose: 'login', handle, publicKey, profile: null });
    await inner.db.query.insert(challenges).values(login);
    return toOpenChallenge(login, login.createdAt);
  });
}

/**
 * Finds the login challenge that can be returned again. If clocks disagree there may be two; either will do.
 */
async function findReusableLogin(db: Database, handle: string, now: Date): Promise<ChallengeRow | null> {
  const { challenges } = db.tables;
  const [open] = await db.query
    .select()
    .from(challenges)
    .where(
      and(
        eq(challenges.handle, handle),
        eq(challenges.purpose, 'login'),
        isNull(challenges.usedAt),
        gte(challenges.expiresAt, new Date(now.getTime() + loginReuseSecondsMin * 1_000)),
      ),
    );
  return open ?? null;
}
