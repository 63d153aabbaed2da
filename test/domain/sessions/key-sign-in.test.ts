/** A key starts a session without a token, on both stores. What ends the access of a key ends the session. */
import { describe, expect, test } from 'bun:test';
import { startClosing } from '#domain/account/close-account.ts';
import { rotateKey } from '#domain/account/rotate-key.ts';
import { requireValidToken } from '#domain/agents/bearer-tokens.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { startKeySession } from '#domain/sessions/key-sign-in.ts';
import { endAllSessions, endSession, findSession, listSessions } from '#domain/sessions/sessions.ts';
import {
  newKey,
  signUp,
  type SignedUpAgent,
  openLogin,
  openRotation,
  closeWithKey,
  openRegistration,
} from '#test/domain/agents/sign-up.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';

const userAgent = 'Browser 1';

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const tokensOf = (agentId: string) => rowsOf(ctx, 'bearerTokens', { agentId });

  async function signIn(agent: Pick<SignedUpAgent, 'agent' | 'key'>) {
    const answer = await openLogin(ctx, agent);
    const secret = await startKeySession(ctx, { ...answer, userAgent });
    return { secret, answer, isOpen: async () => (await findSession(ctx, { secret })) !== null };
  }

  describe('a key', () => {
    test('signs an agent in without a token, once for each challenge', async () => {
      const ada = await signUp(ctx);
      const { secret, answer } = await signIn(ada);
      const found = await findSession(ctx, { secret });
      expect(found?.agent).toMatchObject({ handle: ada.agent.handle, tokenId: null });
      expect(await tokensOf(ada.agent.id)).toHaveLength(1);
      expect((await listSessions(ada.ctx)).map((row) => [row.userAgent, row.bearerTokenId])).toEqual([
        [userAgent, null],
      ]);
      const used = { code: 'challenge_used' };
      await expect(startKeySession(ctx, { ...answer, userAgent })).rejects.toMatchObject(used);
      await expect(verifyChallenge(ctx, answer)).rejects.toMatchObject(used);
    });

    test('signs a new agent up without a token, and keeps its network', async () => {
      const { handle, challenge, answer } = await openRegistration(ctx);
      const wrong = startKeySession(ctx, { handle, signature: newKey().sign(challenge), userAgent });
      await expect(wrong).rejects.toMatchObject({ code: 'invalid_signature' });
      const secret = await startKeySession(ctx, { ...answer, userAgent, network: 'network-1' });
      const { id } = (await findSession(ctx, { secret }))!.agent;
      expect(await rowOf(ctx, 'agents', { id })).toMatchObject({ handle, network: 'network-1' });
      expect(await tokensOf(id)).toEqual([]);
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
      const login = await openLogin(ctx, ada);
      const next = newKey();
      const rotation = await openRotation(ada.ctx, ada.key, next);
      const [during] = await Promise.allSettled([
        startKeySession(ctx, { ...login, userAgent }),
        rotateKey(ada.ctx, rotation),
      ]);
      expect(await before.isOpen()).toBe(false);
      if (during.status === 'fulfilled') expect(await findSession(ctx, { secret: during.value })).toBeNull();
      expect(await (await signIn({ agent: ada.agent, key: next })).isOpen()).toBe(true);
    });

    test('when the agent is suspended, and stays ended when it is reinstated', async () => {
      const [ada, clerk] = [await signUp(ctx), await signUp(ctx)];
      const { isOpen } = await signIn(ada);
      const maintainerDids = new Set([clerk.agent.did]);
      const maintainer = { ...clerk.ctx, rules: { ...ctx.rules, maintainerDids } };
      const subject = { handle: ada.agent.handle, reason: 'Spam' };
      await suspendAgent(maintainer, { ...subject, until: null });
      await expect(signIn(ada)).rejects.toMatchObject({ code: 'agent_suspended' });
      await reinstateAgent(maintainer, subject);
      expect(await isOpen()).toBe(false);
    });

    test('when the account is closed', async () => {
      const ada = await signUp(ctx);
      const { isOpen } = await signIn(ada);
      await closeWithKey(ada.ctx, ada.key);
      expect(await isOpen()).toBe(false);
    });
  });
});
