import { describe, expect, test } from 'bun:test';
import { revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { createSignInLink, showSignInLink, startSession } from '#domain/sessions/sign-in-link.ts';
import {
  endAllSessions,
  endSession,
  findSession,
  listSessions,
  sessionsPerAgentMax,
} from '#domain/sessions/sessions.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

forEachStore((store) => {
  async function signedUp() {
    const ctx = createTestCtx(store.db);
    const agent = actingAs(ctx, await createTestAgent(ctx));
    const link = async (): Promise<string> => (await createSignInLink(agent)).url.split('/').at(-1) ?? '';
    const start = async () => startSession(ctx, { secret: await link(), userAgent: 'Browser 1' });
    return { ctx, agent, link, start };
  }

  describe('a sign-in link', () => {
    test('can be viewed often, and starts one session', async () => {
      const { ctx, agent, link } = await signedUp();
      const secret = await link();
      expect(secret).toMatch(/^[\w-]{43}$/);
      for (let i = 0; i < 3; i += 1) {
        expect(await showSignInLink(ctx, { secret })).toEqual({ handle: agent.agent.handle });
      }
      const started = await Promise.allSettled(
        Array.from({ length: 4 }, () => startSession(ctx, { secret, userAgent: '' })),
      );
      expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(showSignInLink(ctx, { secret })).rejects.toMatchObject({ code: 'gone' });
      expect(startSession(ctx, { secret, userAgent: '' })).rejects.toMatchObject({
        code: 'gone',
      });
    });

    test('expires after five minutes, and with the token that requested it', async () => {
      const { ctx, agent, link } = await signedUp();
      const late = await link();
      ctx.clock.advance(5 * minuteMs);
      expect(startSession(ctx, { secret: late, userAgent: '' })).rejects.toMatchObject({ code: 'not_found' });
      const revoked = await link();
      await revokeBearerToken(agent, { tokenId: agent.agent.tokenId });
      expect(showSignInLink(ctx, { secret: revoked })).rejects.toMatchObject({ code: 'not_found' });
      expect(startSession(ctx, { secret: revoked, userAgent: '' })).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    test('of a suspended agent opens no session until the agent is reinstated', async () => {
      const { ctx, agent, link } = await signedUp();
      const secret = await link();
      const suspend = (suspendedAt: Date | null) =>
        changeRows(ctx, 'agents', { id: agent.agent.id }, { suspendedAt });
      await suspend(ctx.clock.now());
      const refused = { code: 'agent_suspended' };
      await expect(showSignInLink(ctx, { secret })).rejects.toMatchObject(refused);
      await expect(startSession(ctx, { secret, userAgent: '' })).rejects.toMatchObject(refused);
      expect(await listSessions(agent)).toEqual([]);
      await suspend(null);
      await startSession(ctx, { secret, userAgent: '' });
    });

    test('is one of five an hour, even with concurrent requests', async () => {
      const { ctx, agent } = await signedUp();
      const asked = await Promise.allSettled(Array.from({ length: 7 }, () => createSignInLink(agent)));
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect(createSignInLink(agent)).rejects.toMatchObject({
        code: 'too_many_sign_in_links',
        extras: { retryAfterSeconds: 3_600 },
      });
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
      expect(createSignInLink(agent)).rejects.toMatchObject({ code: 'too_many_sign_in_links' });
    });
  });

  describe('a session', () => {
    test('belongs to its agent for 14 days', async () => {
      const { ctx, agent, start } = await signedUp();
      const secret = await start();
      expect((await findSession(ctx, { secret }))?.agent).toMatchObject({
        handle: agent.agent.handle,
        tokenId: agent.agent.tokenId,
      });
      ctx.clock.advance(14 * dayMs);
      expect(await findSession(ctx, { secret })).toBeNull();
      expect(await listSessions(agent)).toEqual([]);
    });

    test('ends when its token is revoked, when it is ended, and with all others', async () => {
      const { ctx, agent, start } = await signedUp();
      const other = await signedUp();
      const [one, two, three] = [await start(), await start(), await start()];
      const [third] = await listSessions(agent);
      expect(endSession(other.agent, { sessionId: third!.id })).rejects.toMatchObject({
        code: 'not_found',
      });
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
      const { ctx, agent, start } = await signedUp();
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
