/** Concurrent sign-ups and logins in several processes: the store lets exactly one win. */
import { expect, test } from 'bun:test';
import { issueBearerToken } from '#domain/agents/bearer-tokens.ts';
import { openLoginsMax } from '#domain/agents/agent-limits.ts';
import { useChallenge } from '#domain/agents/challenges.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge, type VerifyChallengeInput } from '#domain/agents/verify-challenge.ts';
import { withTransaction } from '#domain/context.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { newHandle, newKey, openRegistration, registration, signUp } from './sign-up.ts';
import { tally } from '../outcomes.ts';
import { isWaitedFor, openTwoProcesses } from '../two-processes.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const racers = 16;

forEachStore((store) => {
  const ctx = useFreshCtx(store);
  const race = openTwoProcesses(store);
  const openOf = (handle: string) => rowsOf(ctx, 'challenges', { handle, purpose: 'register', usedAt: null });

  test.each(['a free handle', 'a handle whose registration has expired'])(
    'of many concurrent registrations of %s, one wins',
    async (which) => {
      const handle = newHandle();
      if (which !== 'a free handle') await openRegistration(ctx, handle);
      ctx.clock.advance(600_000);
      const calls = race(ctx, racers, (ctx) => registerAgent(ctx, registration(handle, newKey())));
      expect(await tally(calls)).toEqual({ ok: 1, registration_in_progress: racers - 1 });
      expect(await openOf(handle)).toHaveLength(1);
    },
  );

  test.each([
    ['a registration', 1],
    ['a login', 2],
  ])('one signature of %s sent many times gives one token', async (what, tokens) => {
    const { handle, key, answer } = await openRegistration(ctx);
    if (what === 'a login') {
      await verifyChallenge(ctx, answer);
      answer.signature = key.sign((await startLogin(ctx, { handle })).challenge);
    }
    const calls = race(ctx, racers, (ctx) => verifyChallenge(ctx, answer));
    expect(await tally(calls)).toEqual({ ok: 1, challenge_used: racers - 1 });
    const made = await rowsOf(ctx, 'agents', { handle });
    expect(made).toHaveLength(1);
    expect(await rowsOf(ctx, 'bearerTokens', { agentId: made[0]!.id })).toHaveLength(tokens);
  });

  test('one key verified concurrently under many handles goes to one of them', async () => {
    const key = newKey();
    const answers: VerifyChallengeInput[] = [];
    for (let i = 0; i < racers; i += 1) answers.push((await openRegistration(ctx, newHandle(), key)).answer);
    const calls = race(ctx, racers, (ctx, i) => verifyChallenge(ctx, answers[i]!));
    expect(await tally(calls)).toEqual({ ok: 1, key_taken: racers - 1 });
  });

  test('a handle that is being verified cannot be registered meanwhile', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { handle, answer } = await openRegistration(ctx);
      const [verified, ...others] = race<unknown>(ctx, racers, (ctx, i) =>
        i === 0 ? verifyChallenge(ctx, answer) : registerAgent(ctx, registration(handle, newKey())),
      );
      const refused = await tally(others);
      await verified;
      expect((refused['registration_in_progress'] ?? 0) + (refused['handle_taken'] ?? 0)).toBe(racers - 1);
      expect(await openOf(handle)).toHaveLength(0);
    }
  });

  test.each([
    ['on their own', 0],
    ['in a flood of requests of strangers', 2 * openLoginsMax],
  ])('logins with one key at once all succeed, %s', async (_, strangers) => {
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    for (let times = 0; times < strangers; times += 1) await startLogin(ctx, { handle });
    const logins = race(ctx, racers, async (ctx, i) => {
      const { challenge } = await startLogin(ctx, { handle });
      // A stranger only asks.
      if (strangers > 0 && i % 2 === 1) return `stranger ${i}`;
      return (await verifyChallenge(ctx, { handle, signature: key.sign(challenge) })).token;
    });
    expect(new Set(await Promise.all(logins)).size).toBe(racers);
  });

  test('no request for a login gets a challenge that is being used', async () => {
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const { challenge: first } = await startLogin(ctx, { handle });
    for (let times = 1; times < openLoginsMax; times += 1) await startLogin(ctx, { handle });
    const [used] = await rowsOf(ctx, 'challenges', { handle, challenge: first });
    const { next } = await withTransaction(ctx, async (inner) => {
      await useChallenge(inner, used!.id);
      const next = startLogin(ctx, { handle });
      await waitUntil(() => isWaitedFor(inner.db));
      return { next };
    });
    const { challenge } = await next;
    expect((await verifyChallenge(ctx, { handle, signature: key.sign(challenge) })).agent).toEqual(agent);
  });

  test('at most a hundred tokens are valid, however many are issued concurrently', async () => {
    const { agent } = await signUp(ctx);
    await withTransaction(ctx, async (inner) => {
      for (let i = 0; i < 98; i += 1) await issueBearerToken(inner, agent.id);
    });
    await Promise.all(
      race(ctx, racers, (ctx) => withTransaction(ctx, (inner) => issueBearerToken(inner, agent.id))),
    );
    const live = await rowsOf(ctx, 'bearerTokens', { agentId: agent.id, revokedAt: null });
    expect(live).toHaveLength(100);
  });
});
