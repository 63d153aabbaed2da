/** A key starts a session without a token, on both stores. What ends the access of a key ends the session. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { closeAccount, startClosing } from '#domain/account/close-account.ts';
import { rotateKey, startKeyRotation } from '#domain/account/rotate-key.ts';
import { requireValidToken } from '#domain/agents/bearer-tokens.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { startKeySession } from '#domain/sessions/key-sign-in.ts';
import { endAllSessions, endSession, findSession, listSessions } from '#domain/sessions/sessions.ts';
import {
  createTestCtx,
  newHandle,
  newKey,
  registration,
  signUp,
  type SignedUpAgent,
  type TestCtx,
} from '#test/domain/agents/sign-up.ts';
import { forEachStore } from '#test/harness/stores.ts';

const userAgent = 'Browser 1';

forEachStore((store) => {
  let ctx: TestCtx;
  beforeAll(() => {
    ctx = createTestCtx(store.db);
  });
  const tokensOf = (agentId: string) =>
    ctx.db.query
      .select()
      .from(ctx.db.tables.bearerTokens)
      .where(eq(ctx.db.tables.bearerTokens.agentId, agentId));

  async function signIn({ agent: { handle }, key }: Pick<SignedUpAgent, 'agent' | 'key'>) {
    const { challenge } = await startLogin(ctx, { handle });
    const signature = key.sign(challenge);
    const secret = await startKeySession(ctx, { handle, signature, userAgent });
    return { secret, signature, isOpen: async () => (await findSession(ctx, { secret })) !== null };
  }

  describe('a key', () => {
    test('signs an agent in without a token, once for each challenge', async () => {
      const ada = await signUp(ctx);
      const { secret, signature } = await signIn(ada);
      const found = await findSession(ctx, { secret });
      expect(found?.agent).toMatchObject({ handle: ada.agent.handle, tokenId: null });
      expect(await tokensOf(ada.agent.id)).toHaveLength(1);
      expect((await listSessions(ada.ctx)).map((row) => [row.userAgent, row.bearerTokenId])).toEqual([
        [userAgent, null],
      ]);
      const { handle } = ada.agent;
      const used = { code: 'challenge_used' };
      await expect(startKeySession(ctx, { handle, signature, userAgent })).rejects.toMatchObject(used);
      await expect(verifyChallenge(ctx, { handle, signature })).rejects.toMatchObject(used);
    });

    test('signs a new agent up without a token, and keeps its network', async () => {
      const [handle, key] = [newHandle(), newKey()];
      const { challenge } = await registerAgent(ctx, registration(handle, key));
      const wrong = startKeySession(ctx, { handle, signature: newKey().sign(challenge), userAgent });
      await expect(wrong).rejects.toMatchObject({ code: 'invalid_signature' });
      const signature = key.sign(challenge);
      const secret = await startKeySession(ctx, { handle, signature, userAgent, network: 'network-1' });
      const { agent } = (await findSession(ctx, { secret }))!;
      const { agents } = ctx.db.tables;
      const [row] = await ctx.db.query.select().from(agents).where(eq(agents.id, agent.id));
      expect([row?.handle, row?.network, await tokensOf(agent.id)]).toEqual([handle, 'network-1', []]);
    });

    test('signs nobody in with a signature for another purpose', async () => {
      const ada = await signUp(ctx);
      const { handle } = ada.agent;
      await startLogin(ctx, { handle });
      const { challenge } = (await startClosing(ada.ctx)).challenge;
      const given = startKeySession(ctx, { handle, signature: ada.key.sign(challenge), userAgent });
      await expect(given).rejects.toMatchObject({ code: 'invalid_signature' });
    });
  });

  describe('its session ends', () => {
    test('when it is ended, and with all others', async () => {
      const ada = await signUp(ctx);
      const [first, second] = [await signIn(ada), await signIn(ada)];
      const [{ id } = { id: '' }] = await listSessions(ada.ctx);
      const { agent } = (await findSession(ctx, { secret: second.secret }))!;
      await requireValidToken({ ...ctx, agent });
      await endSession(ada.ctx, { sessionId: id });
      expect([await first.isOpen(), await second.isOpen()]).toEqual([true, false]);
      // An export that is still being sent stops.
      const ended = requireValidToken({ ...ctx, agent });
      await expect(ended).rejects.toMatchObject({ code: 'invalid_token' });
      await endAllSessions(ada.ctx);
      expect(await first.isOpen()).toBe(false);
    });

    test('when the key is replaced, even at the same moment', async () => {
      const ada = await signUp(ctx);
      const before = await signIn(ada);
      const { handle } = ada.agent;
      const login = await startLogin(ctx, { handle });
      const next = newKey();
      const { challenge } = await startKeyRotation(ada.ctx, next);
      const [during] = await Promise.allSettled([
        startKeySession(ctx, { handle, signature: ada.key.sign(login.challenge), userAgent }),
        rotateKey(ada.ctx, {
          publicKey: next.publicKey,
          oldSignature: ada.key.sign(challenge),
          newSignature: next.sign(challenge),
        }),
      ]);
      expect(await before.isOpen()).toBe(false);
      if (during.status === 'fulfilled') expect(await findSession(ctx, { secret: during.value })).toBeNull();
      expect(await (await signIn({ agent: ada.agent, key: next })).isOpen()).toBe(true);
    });

    test('when the agent is suspended, and stays ended when it is reinstated', async () => {
      const [ada, clerk] = [await signUp(ctx), await signUp(ctx)];
      const { isOpen } = await signIn(ada);
      const maintainer = {
        ...clerk.ctx,
        rules: { ...ctx.rules, maintainerDids: new Set([clerk.agent.did]) },
      };
      const subject = { handle: ada.agent.handle, reason: 'Spam' };
      await suspendAgent(maintainer, { ...subject, until: null });
      await expect(signIn(ada)).rejects.toMatchObject({ code: 'agent_suspended' });
      await reinstateAgent(maintainer, subject);
      expect(await isOpen()).toBe(false);
    });

    test('when the account is closed', async () => {
      const ada = await signUp(ctx);
      const { isOpen } = await signIn(ada);
      const { challenge } = (await startClosing(ada.ctx)).challenge;
      await closeAccount(ada.ctx, ada.key.sign(challenge));
      expect(await isOpen()).toBe(false);
    });
  });
});
