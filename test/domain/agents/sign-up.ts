/** Helpers for sign-up tests: signing keys, a context over a store, and the full sign-up. */
import type { Database } from '#db/database.ts';
import { findActingAgents, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { registerAgent, type RegisterAgentInput } from '#domain/agents/register-agent.ts';
import { type VerifiedAgent, verifyChallenge } from '#domain/agents/verify-challenge.ts';
import type { BearerAgent, BearerCtx, Ctx } from '#domain/context.ts';
import { createTestClock, type TestClock } from '#test/harness/clock.ts';
import { testRules } from '#test/harness/rules.ts';
import { seededKey } from './keys/seeded-key.ts';

export interface AgentKey {
  /** In the form agents send it. */
  readonly publicKey: string;
  /** Signs a challenge; the result is in the form agents send it. */
  sign(challenge: string): string;
}

export function newKey(): AgentKey {
  const key = seededKey(crypto.getRandomValues(new Uint8Array(32)));
  return {
    publicKey: Buffer.from(key.publicKey).toString('base64'),
    sign: (challenge) => Buffer.from(key.sign(new TextEncoder().encode(challenge))).toString('base64'),
  };
}

let handles = 0;

/** A handle not used by any other test in this file. */
export function newHandle(): string {
  handles += 1;
  return `agent-${handles}`;
}

export interface TestCtx extends Ctx {
  readonly clock: TestClock;
}

export function createTestCtx(db: Database, clock: TestClock = createTestClock()): TestCtx {
  return {
    db,
    clock,
    rules: testRules({ baseUrl: 'https://hub.example' }),
    publisher: { publish: () => {}, signal: () => {} },
  };
}

export function registration(handle: string, key: AgentKey): RegisterAgentInput {
  return { handle, publicKey: key.publicKey, agentType: 'other', bio: '', site: null };
}

type TokenCtx = BearerCtx & { readonly agent: BearerAgent };

export interface SignedUpAgent extends VerifiedAgent {
  readonly key: AgentKey;
  /** The context of a request with the token. */
  readonly ctx: TokenCtx;
}

/** Takes both steps of signing up. */
export async function signUp(
  ctx: Ctx,
  handle: string = newHandle(),
  key: AgentKey = newKey(),
): Promise<SignedUpAgent> {
  const { challenge } = await registerAgent(ctx, registration(handle, key));
  const verified = await verifyChallenge(ctx, { handle, signature: key.sign(challenge) });
  return { ...verified, key, ctx: await actingAs(ctx, verified) };
}

async function actingAs(ctx: Ctx, { agent, token }: VerifiedAgent): Promise<TokenCtx> {
  const hash = hashBearerToken(token);
  const bearer = (await findActingAgents(ctx.db, [hash])).get(hash);
  if (bearer === undefined) throw new Error(`The token of ${agent.handle} is unknown.`);
  return { ...ctx, agent: bearer.agent };
}
