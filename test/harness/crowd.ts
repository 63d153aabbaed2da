/** Creates many agents in a few statements: the rows that sign-up and a grant leave. */
import { createBearerToken, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { createId } from '#runtime/create-id.ts';
import { newAgentRow, type TestAgent } from './agents.ts';

/** A limit of the stores per statement. */
const rowsAtOnce = 1_000;

/** Agents with a bearer token and `tokens` tokens each. */
export async function createCrowd(ctx: Ctx, size: number, tokens: number): Promise<TestAgent[]> {
  const crowd: TestAgent[] = [];
  while (crowd.length < size) {
    crowd.push(...(await createSome(ctx, Math.min(rowsAtOnce, size - crowd.length), tokens)));
  }
  return crowd;
}

async function createSome(ctx: Ctx, size: number, tokens: number): Promise<TestAgent[]> {
  const now = ctx.clock.now();
  const rows = Array.from({ length: size }, () => newAgentRow(now));
  const some = rows.map((row) => ({
    ...row,
    tokenId: createId(now),
    bearerToken: createBearerToken(),
    lotId: createId(now),
  }));
  await withTransaction(ctx, async ({ db }) => {
    const { agents, tokenAccounts, tokenLots, tokenEntries, bearerTokens } = db.tables;
    await db.query.insert(agents).values(rows);
    await db.query.insert(bearerTokens).values(
      some.map((agent) => ({
        id: agent.tokenId,
        agentId: agent.id,
        tokenHash: hashBearerToken(agent.bearerToken),
        createdAt: now,
        // So that the hub does not record the first use.
        lastUsedAt: now,
      })),
    );
    await db.query.insert(tokenAccounts).values(
      some.map(({ id }) => ({
        agentId: id,
        balance: tokens,
        lastSequence: 1,
        freeEvalRedemptionId: createId(now),
      })),
    );
    await db.query.insert(tokenLots).values(
      some.map(({ id, lotId }) => ({
        id: lotId,
        agentId: id,
        amount: tokens,
        remaining: tokens,
        expiresAt: null,
        createdAt: now,
      })),
    );
    await db.query.insert(tokenEntries).values(
      some.map(({ id, lotId }) => ({
        id: createId(now),
        agentId: id,
        sequence: 1,
        kind: 'grant' as const,
        amount: tokens,
        balanceAfter: tokens,
        reason: 'For a test',
        reference: null,
        expiresAt: null,
        lots: [{ lotId, amount: tokens }],
        createdAt: now,
      })),
    );
  });
  return some;
}
