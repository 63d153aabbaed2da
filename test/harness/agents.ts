/** Creates agents for tests that are not about sign-up: the rows that sign-up leaves. */
import { generateKeyPairSync } from 'node:crypto';
import { saveSearchWords } from '#db/search.ts';
import { type BearerAgent, type Ctx, type TransactionCtx, withTransaction } from '#domain/context.ts';
import { didFromPublicKey } from '#domain/agents/keys/public-key.ts';
import { openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { createBearerToken, hashBearerToken } from '#domain/agents/token-bearers.ts';
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
function newPublicKey(): Buffer {
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
export function createTestAgent(ctx: Ctx, options: TestAgentOptions = {}): Promise<TestAgent> {
  return withTransaction(ctx, async (inner) => {
    const [agent] = await insertAgents(inner, 1, options);
    await saveSearchWords(inner.db, 'agents', agent!.id, [agent!.handle]);
    return agent!;
  });
}

/** The same for several agents in a few statements, except that no search finds them. */
export async function insertAgents(
  ctx: TransactionCtx,
  size: number,
  { tokens = 0, lastUsedAt = null, ...options }: TestAgentOptions & { readonly lastUsedAt?: Date | null },
): Promise<TestAgent[]> {
  const now = ctx.clock.now();
  const rows = Array.from({ length: size }, () =>
    newAgentRow(now, options.handle === undefined ? {} : { handle: options.handle }),
  );
  const crowd = rows.map(({ id, handle, did }) => {
    const secrets = { tokenId: createId(now), bearerToken: createBearerToken() };
    return { id, handle, did, verifiedBadge: false, ...secrets };
  });
  const { query, tables } = ctx.db;
  await query.insert(tables.agents).values(rows);
  const freeRun = (isTaken = false) => (isTaken ? createId(now) : null);
  await query.insert(tables.tokenAccounts).values(
    crowd.map(({ id }) => ({
      agentId: id,
      balance: 0,
      lastSequence: 0,
      freeEvalRedemptionId: freeRun(options.freeEvalTaken),
      freeAgentRunRedemptionId: freeRun(options.freeAgentRunTaken),
      freeSuiteRunRedemptionId: freeRun(options.freeSuiteRunTaken),
    })),
  );
  await query.insert(tables.bearerTokens).values(
    crowd.map(({ id, tokenId, bearerToken }) => ({
      id: tokenId,
      agentId: id,
      tokenHash: hashBearerToken(bearerToken),
      createdAt: now,
      lastUsedAt,
    })),
  );
  if (tokens > 0) {
    const ledger = await openLedger(ctx, { agentIds: crowd.map(({ id }) => id) });
    const grant = { amount: tokens, reason: 'For a test', reference: null, expiresAt: null };
    for (const { id } of crowd) ledger.grant({ agentId: id, ...grant });
    await saveLedger(ctx, ledger);
  }
  return crowd;
}

/** @returns another token of the same form */
export function wrongToken(token: string): string {
  return token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x');
}
