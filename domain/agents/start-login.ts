/** Gives an agent that has lost its token, or had it leaked, a challenge to prove its key again. */
import { and, eq, gte, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { lockRows } from '#db/locks.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { loginReuseSecondsMin } from './agent-limits.ts';
import {
  type ChallengeRow,
  createChallenge,
  type OpenChallenge,
  toOpenChallenge,
} from './create-challenge.ts';
import { unknownHandle } from './handle-errors.ts';

export interface StartLoginInput {
  readonly handle: string;
}

/**
 * Answers the login challenge that is open, or adds one when less than five minutes are left of it. So whoever asks
 * in between, a stranger too, gets the same challenge, and nobody can crowd out the one the agent is signing.
 *
 * @throws DomainError unknown_handle for a handle without a verified agent
 */
export async function startLogin(ctx: Ctx, input: StartLoginInput): Promise<OpenChallenge> {
  const { handle } = input;
  // Most repeated calls end here, without a lock.
  const open = await findReusableLogin(ctx.db, handle, ctx.clock.now());
  if (open !== null) return toOpenChallenge(open, ctx.clock.now());
  return withTransaction(ctx, async (inner) => {
    const { agents, challenges } = inner.db.tables;
    const [agent] = await lockRows(
      inner.db,
      inner.db.query.select({ publicKey: agents.publicKey }).from(agents).where(eq(agents.handle, handle)),
    );
    if (agent === undefined) throw unknownHandle(handle);
    const now = inner.clock.now();
    // Who held the lock before may have added one.
    const added = await findReusableLogin(inner.db, handle, now);
    if (added !== null) return toOpenChallenge(added, now);
    const { publicKey } = agent;
    const login = createChallenge(inner, { purpose: 'login', handle, publicKey, profile: null });
    await inner.db.query.insert(challenges).values(login);
    return toOpenChallenge(login, login.createdAt);
  });
}

/** The next is made when this one cannot be reused any more. Clocks that disagree may leave two, of which either will do. */
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
