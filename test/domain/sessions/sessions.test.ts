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
import { actingAs } from '#test/harness/ctx.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, domainErrorOf, tally } from '../outcomes.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

forEachStore((store) => {
  const ctx = useFreshCtx(store);
  const open = (secret: string) => startSession(ctx, { secret, userAgent: 'Browser 1' });

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
