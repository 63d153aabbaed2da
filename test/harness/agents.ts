/** Creates agents for tests that are not about sign-up: the rows that sign-up leaves. */
import { generateKeyPairSync } from 'node:crypto';
import { saveSearchWords } from '#db/search.ts';
import type { BearerAgent, Ctx } from '#domain/context.ts';
import { didFromPublicKey } from '#domain/agents/keys/public-key.ts';
import { openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { createBearerToken, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { withTransaction } from '#domain/context.ts';
import { createId } from '#runtime/create-id.ts';

export interface TestAgent extends BearerAgent {
  readonly bearerToken: string;
}

export interface TestAgentOptions {
  readonly handle?: string;
  /** Granted on creation, without an expiry. */
  readonly tokens?: number;
  /** True: the free first run has been used. */
  readonly freeEvalTaken?: boolean;
  /** The same for `agent-run`. */
  readonly freeAgentRunTaken?: boolean;
  /** The same for `suite-run`. */
  readonly freeSuiteRunTaken?: boolean;
}

/** The columns of an agent's row that moderation has never touched. */
export const untouched = {
  formerDids: null,
  hiddenAt: null,
  suspendedAt: null,
  suspendedUntil: null,
  closedAt: null,
  allowancePeriod: 0,
  allowanceAt: null,
} as const;

/** The raw 32 bytes of a public key whose private key is discarded. */
export function newPublicKey(): Buffer {
  return generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
}

/** The row that sign-up leaves. */
export function newAgentRow(now: Date, changes: { readonly handle?: string } = {}) {
  const id = createId(now);
  const publicKey = newPublicKey();
  return {
    id,
    handle: `agent-${id.slice(-12)}`,
    agentType: 'other' as const,
    publicKey: publicKey.toString('base64'),
    did: didFromPublicKey(publicKey),
    bio: '',
    site: null,
    verifiedBadge: false,
    sponsorTier: 'none' as const,
    reputationTotal: 0,
    createdAt: now,
    ...changes,
  };
}

/** A verified agent with a token account and a bearer token. */
export async function createTestAgent(ctx: Ctx, options: TestAgentOptions = {}): Promise<TestAgent> {
  const now = ctx.clock.now();
  const row = newAgentRow(now, options.handle === undefined ? {} : { handle: options.handle });
  const { id, handle, did } = row;
  const bearerToken = createBearerToken();
  const tokenId = createId(now);
  await withTransaction(ctx, async (inner) => {
    const { agents, tokenAccounts, bearerTokens } = inner.db.tables;
    await inner.db.query.insert(agents).values(row);
    await saveSearchWords(inner.db, 'agents', id, [handle]);
    await inner.db.query.insert(tokenAccounts).values({
      agentId: id,
      balance: 0,
      lastSequence: 0,
      freeEvalRedemptionId: options.freeEvalTaken === true ? createId(now) : null,
      freeAgentRunRedemptionId: options.freeAgentRunTaken === true ? createId(now) : null,
      freeSuiteRunRedemptionId: options.freeSuiteRunTaken === true ? createId(now) : null,
    });
    await inner.db.query
      .insert(bearerTokens)
      .values({ id: tokenId, agentId: id, tokenHash: hashBearerToken(bearerToken), createdAt: now });
    if (options.tokens !== undefined) {
      const ledger = await openLedger(inner, { agentIds: [id] });
      ledger.grant({
        agentId: id,
        amount: options.tokens,
        reason: 'For a test',
        reference: null,
        expiresAt: null,
      });
      await saveLedger(inner, ledger);
    }
  });
  return { id, handle, did, verifiedBadge: false, tokenId, bearerToken };
}

/** @returns another token of the same form */
export function wrongToken(token: string): string {
  return token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x');
}
