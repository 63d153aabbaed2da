/** Sessions of browsers: by a link that a token requests, or by a key. */
import { describe, expect, test } from 'bun:test';
import { startClosing } from '#domain/account/close-account.ts';
import { rotateKey } from '#domain/account/rotate-key.ts';
import { requireValidToken, revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { startKeySession } from '#domain/sessions/key-sign-in.ts';
import { createSignInLink, showSignInLink, startSession } from '#domain/sessions/sign-in-link.ts';
import {
  endAllSessions,
  endSession,
  findSession,
  listSessions,
  sessionsPerAgentMax,
} from '#domain/sessions/sessions.ts';
import {
  newKey,
  signUp,
  type SignedUpAgent,
  openLogin,
  openRotation,
  closeWithKey,
  openRegistration,
} from '#test/domain/agents/sign-up.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, domainErrorOf, tally } from '../outcomes.ts';

const userAgent = 'Browser 1';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

forEachStore((store) => {
  const ctx = useFreshCtx(store);
  const open = (secret: string) => startSession(ctx, { secret, userAgent });

  async function signedUp() {
    const agent = actingAs(ctx, await createTestAgent(ctx));
    const link = async (): Promise<string> => (await createSignInLink(agent)).url.split('/').at(-1) ?? '';
    return { agent, link, start: async () => open(await link()) };
  }

  describe('a sign-in link', () => {
    test('can be viewed often, and starts one session', async () => {
      const { agent, link } = await signedUp();
      const secret = await link();
      expect(secret).toMatch(/^[\w-]{43}$/);
      for (let i = 0; i < 3; i += 1) {
        expect(await showSignInLink(ctx, { secret })).toEqual({ handle: agent.agent.handle });
      }
      expect(await tally(Array.from({ length: 4 }, () => open(secret)))).toMatchObject({ ok: 1 });
      expect(await tally([showSignInLink(ctx, { secret }), open(secret)])).toEqual({ gone: 2 });
    });

    test('expires after five minutes, and with the token that requested it', async () => {
      const { agent, link } = await signedUp();
      const late = await link();
      ctx.clock.advance(5 * minuteMs);
      expect(await codeOf(open(late))).toBe('not_found');
      const revoked = await link();
      await revokeBearerToken(agent, { tokenId: agent.agent.tokenId });
      const attempts = [showSignInLink(ctx, { secret: revoked }), open(revoked)];
      expect(await tally(attempts)).toEqual({ not_found: 2 });
    });

    test('of a suspended agent opens no session until the agent is reinstated', async () => {
      const { agent, link } = await signedUp();
      const secret = await link();
      const suspend = (suspendedAt: Date | null) =>
        changeRows(ctx, 'agents', { id: agent.agent.id }, { suspendedAt });
      await suspend(ctx.clock.now());
      expect(await tally([showSignInLink(ctx, { secret }), open(secret)])).toEqual({ agent_suspended: 2 });
      expect(await listSessions(agent)).toEqual([]);
      await suspend(null);
      await open(secret);
    });

    test('is one of five an hour, even with concurrent requests', async () => {
      const { agent } = await signedUp();
      const asked = Array.from({ length: 7 }, () => createSignInLink(agent));
      expect(await tally(asked)).toEqual({ ok: 5, too_many_sign_in_links: 2 });
      const refused = await domainErrorOf(createSignInLink(agent));
      expect(refused.extras.retryAfterSeconds).toBe(3_600);
      ctx.clock.advance(60 * minuteMs + 1);
      await createSignInLink(agent);
    });

    test('counts when it was used and its session has ended', async () => {
      const { agent, start } = await signedUp();
      for (let i = 0; i < 4; i += 1) await start();
      const [newest] = await listSessions(agent);
      await endSession(agent, { sessionId: newest!.id });
      await endAllSessions(agent);
      await start();
      expect(await codeOf(createSignInLink(agent))).toBe('too_many_sign_in_links');
    });
  });

  describe('a session', () => {
    test('belongs to its agent for 14 days', async () => {
      const { agent, start } = await signedUp();
      const secret = await start();
      const { handle, tokenId } = agent.agent;
      expect((await findSession(ctx, { secret }))?.agent).toMatchObject({ handle, tokenId });
      ctx.clock.advance(14 * dayMs);
      expect(await findSession(ctx, { secret })).toBeNull();
      expect(await listSessions(agent)).toEqual([]);
    });

    test('ends when its token is revoked, when it is ended, and with all others', async () => {
      const { agent, start } = await signedUp();
      const other = await signedUp();
      const [one, two, three] = [await start(), await start(), await start()];
      const [third] = await listSessions(agent);
      expect(await codeOf(endSession(other.agent, { sessionId: third!.id }))).toBe('not_found');
      await endSession(agent, { sessionId: third!.id });
      expect(await findSession(ctx, { secret: three })).toBeNull();
      expect(await findSession(ctx, { secret: two })).not.toBeNull();
      await endAllSessions(agent);
      expect(await findSession(ctx, { secret: one })).toBeNull();
      const last = await start();
      await revokeBearerToken(agent, { tokenId: agent.agent.tokenId });
      expect(await findSession(ctx, { secret: last })).toBeNull();
    });

    test('is one of at most twenty; another one ends the one used least recently', async () => {
      const { agent, start } = await signedUp();
      const first = await start();
      for (let i = 0; i < sessionsPerAgentMax; i += 1) {
        ctx.clock.advance(20 * minuteMs);
        await start();
      }
      expect(await findSession(ctx, { secret: first })).toBeNull();
      expect(await listSessions(agent)).toHaveLength(sessionsPerAgentMax);
    });
  });
});

/** A key starts a session without a token. What ends the access of a key ends the session. */
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
