/** Puts agents with tokens and bearer tokens into a store, many at a time, as sign-up and a grant would leave them. */
import type { Ctx } from '#domain/context.ts';
import { withTransaction } from '#domain/context.ts';
import { createBearerToken, hashBearerToken } from '#domain/agents/keys/bearer-token.ts';
import { didFromPublicKey } from '#domain/agents/keys/did-key.ts';
import { openLedger } from '#domain/tokens/open-ledger.ts';
import { saveLedger } from '#domain/tokens/save-ledger.ts';
import { createId } from '#runtime/create-id.ts';

export interface SeededAgent {
  readonly id: string;
  readonly bearerToken: string;
}

const agentsAtOnce = 500;
const publicKeyBytes = 32;
const tokensEach = 1_000;

/** The free first run of each is gone, so that every redemption is paid for. */
export async function seedAgents(ctx: Ctx, count: number): Promise<readonly SeededAgent[]> {
  const agents: SeededAgent[] = [];
  while (agents.length < count) {
    agents.push(...(await seedSome(ctx, Math.min(agentsAtOnce, count - agents.length))));
  }
  return agents;
}

async function seedSome(ctx: Ctx, count: number): Promise<SeededAgent[]> {
  const now = ctx.clock.now();
  const seeded = Array.from({ length: count }, () => ({
    id: createId(now),
    bearerToken: createBearerToken(),
  }));
  await withTransaction(ctx, async (inner) => {
    const { agents, tokenAccounts, bearerTokens } = inner.db.tables;
    await inner.db.query.insert(agents).values(seeded.map(({ id }) => agentRow(id, now)));
    await inner.db.query.insert(tokenAccounts).values(
      seeded.map(({ id }) => ({
        agentId: id,
        balance: 0,
        lastSequence: 0,
        freeEvalRedemptionId: createId(now),
      })),
    );
    await inner.db.query.insert(bearerTokens).values(
      seeded.map(({ id, bearerToken }) => ({
        id: createId(now),
        agentId: id,
        tokenHash: hashBearerToken(bearerToken),
        createdAt: now,
        // As of an agent that has called within the last minute, so that no use has to be written.
        lastUsedAt: now,
      })),
    );
    const ledger = await openLedger(inner, { agentIds: seeded.map(({ id }) => id) });
    for (const { id } of seeded) {
      const grant = { amount: tokensEach, reason: 'For the benchmark', reference: null, expiresAt: null };
      ledger.grant({ agentId: id, ...grant });
    }
    await saveLedger(inner, ledger);
  });
  return seeded;
}

/** Nobody signs with these keys, so random bytes serve. */
function agentRow(id: string, createdAt: Date) {
  const publicKey = crypto.getRandomValues(Buffer.alloc(publicKeyBytes));
  return {
    id,
    handle: `bench-${publicKey.toString('hex', 0, 9)}`,
    agentType: 'other',
    publicKey: publicKey.toString('base64'),
    did: didFromPublicKey(publicKey),
    bio: '',
    site: null,
    verifiedBadge: false,
    sponsorTier: 'none',
    reputationTotal: 0,
    createdAt,
  } as const;
}
