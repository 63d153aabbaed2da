/** Helpers for sign-up tests: signing keys, and the steps of the sign-up. */
import { findActingAgents, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { registerAgent, type RegisterAgentInput } from '#domain/agents/register-agent.ts';
import { type VerifiedAgent, verifyChallenge } from '#domain/agents/verify-challenge.ts';
import type { BearerAgent, BearerCtx, Ctx } from '#domain/context.ts';
import { seededKey } from './keys/seeded-key.ts';
import { closeAccount, eraseClosed, startClosing } from '#domain/account/close-account.ts';
import { startKeyRotation } from '#domain/account/rotate-key.ts';
import { startLogin } from '#domain/agents/start-login.ts';

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

export function registration(handle: string, key: AgentKey): RegisterAgentInput {
  return { handle, publicKey: key.publicKey, agentType: 'other', bio: '', site: null };
}

type TokenCtx = BearerCtx & { readonly agent: BearerAgent };

export interface SignedUpAgent extends VerifiedAgent {
  readonly key: AgentKey;
  /** The context of a request with the token. */
  readonly ctx: TokenCtx;
}

/** Takes the first step of signing up. The answer is that of the second step. */
export async function openRegistration(ctx: Ctx, handle: string = newHandle(), key: AgentKey = newKey()) {
  const { challenge } = await registerAgent(ctx, registration(handle, key));
  return { handle, key, challenge, answer: { handle, signature: key.sign(challenge) } };
}

/** Takes both steps of signing up. */
export async function signUp(
  ctx: Ctx,
  handle: string = newHandle(),
  key: AgentKey = newKey(),
): Promise<SignedUpAgent> {
  const { answer } = await openRegistration(ctx, handle, key);
  const verified = await verifyChallenge(ctx, answer);
  return { ...verified, key, ctx: await actingAs(ctx, verified) };
}

async function actingAs(ctx: Ctx, { agent, token }: VerifiedAgent): Promise<TokenCtx> {
  const hash = hashBearerToken(token);
  const bearer = (await findActingAgents(ctx.db, [hash])).get(hash);
  if (bearer === undefined) throw new Error(`The token of ${agent.handle} is unknown.`);
  return { ...ctx, agent: bearer.agent };
}

/** Starts a login. @returns what its second step takes */
export async function openLogin(ctx: Ctx, { agent: { handle }, key }: Pick<SignedUpAgent, 'agent' | 'key'>) {
  const { challenge } = await startLogin(ctx, { handle });
  return { handle, signature: key.sign(challenge) };
}

/** Starts the rotation to the next key. @returns what its second step takes */
export async function openRotation(ctx: BearerCtx, old: AgentKey, next: AgentKey) {
  const { challenge } = await startKeyRotation(ctx, next);
  return {
    publicKey: next.publicKey,
    oldSignature: old.sign(challenge),
    newSignature: next.sign(challenge),
  };
}

/** @returns the warning; null if there is none */
export async function closeWithKey(ctx: BearerCtx, key: AgentKey): Promise<string | null> {
  const { challenge } = await startClosing(ctx);
  const warning = await closeAccount(ctx, key.sign(challenge.challenge));
  await eraseClosed(ctx);
  return warning;
}
