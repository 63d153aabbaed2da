/** Concurrent sign-ups and logins in several processes: the store lets exactly one win. */
import { expect, test } from 'bun:test';
import { and, eq, isNull } from 'drizzle-orm';
import { issueBearerToken } from '#domain/agents/bearer-tokens.ts';
import { openLoginsMax } from '#domain/agents/agent-limits.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { verifyChallenge, type VerifyChallengeInput } from '#domain/agents/verify-challenge.ts';
import { withTransaction } from '#domain/context.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { createTestCtx, newHandle, newKey, registration, signUp, type TestCtx } from './sign-up.ts';
import { tally } from '../outcomes.ts';
import { useOtherProcess } from '../two-processes.ts';

const racers = 16;

forEachStore((store) => {
  const second = useOtherProcess(store);

  /** Contexts of two processes with synchronised clocks. */
  function bothProcesses(): [TestCtx, TestCtx] {
    const one = createTestCtx(store.db);
    return [one, createTestCtx(second, one.clock)];
  }

  /** Runs the calls concurrently, alternating between the two processes. */
  function race<T>([one, two]: [TestCtx, TestCtx], call: (ctx: TestCtx, index: number) => Promise<T>) {
    return Array.from({ length: racers }, (_, i) => call(i % 2 === 0 ? one : two, i));
  }

  async function openRegistrations(handle: string): Promise<number> {
    const { challenges } = store.db.tables;
    const rows = await store.db.query
      .select()
      .from(challenges)
      .where(
        and(eq(challenges.handle, handle), eq(challenges.purpose, 'register'), isNull(challenges.usedAt)),
      );
    return rows.length;
  }

  test('of many concurrent registrations of a free handle, one wins', async () => {
    const processes = bothProcesses();
    const handle = newHandle();
    const calls = race(processes, (ctx) => registerAgent(ctx, registration(handle, newKey())));
    expect(await tally(calls)).toEqual({ ok: 1, registration_in_progress: racers - 1 });
    expect(await openRegistrations(handle)).toBe(1);
  });

  test('of many concurrent registrations of a handle whose registration has expired, one wins', async () => {
    const processes = bothProcesses();
    const handle = newHandle();
    await registerAgent(processes[0], registration(handle, newKey()));
    processes[0].clock.advance(600_000);
    const calls = race(processes, (ctx) => registerAgent(ctx, registration(handle, newKey())));
    expect(await tally(calls)).toEqual({ ok: 1, registration_in_progress: racers - 1 });
    expect(await openRegistrations(handle)).toBe(1);
  });

  test('one signature sent many times creates one agent and one token', async () => {
    const processes = bothProcesses();
    const handle = newHandle();
    const key = newKey();
    const { challenge } = await registerAgent(processes[0], registration(handle, key));
    const answer = { handle, signature: key.sign(challenge) };
    const calls = race(processes, (ctx) => verifyChallenge(ctx, answer));
    expect(await tally(calls)).toEqual({ ok: 1, challenge_used: racers - 1 });
    const { agents, bearerTokens } = store.db.tables;
    const made = await store.db.query
      .select({ tokenId: bearerTokens.id })
      .from(agents)
      .innerJoin(bearerTokens, eq(bearerTokens.agentId, agents.id))
      .where(eq(agents.handle, handle));
    expect(made).toHaveLength(1);
  });

  test('one key verified concurrently under many handles goes to one of them', async () => {
    const processes = bothProcesses();
    const key = newKey();
    const answers: VerifyChallengeInput[] = [];
    for (let i = 0; i < racers; i += 1) {
      const handle = newHandle();
      const { challenge } = await registerAgent(processes[0], registration(handle, key));
      answers.push({ handle, signature: key.sign(challenge) });
    }
    const calls = race(processes, (ctx, i) => verifyChallenge(ctx, answers[i]!));
    expect(await tally(calls)).toEqual({ ok: 1, key_taken: racers - 1 });
  });

  test('a handle that is being verified cannot be registered meanwhile', async () => {
    for (let round = 0; round < 3; round += 1) {
      const processes = bothProcesses();
      const handle = newHandle();
      const key = newKey();
      const { challenge } = await registerAgent(processes[0], registration(handle, key));
      const signature = key.sign(challenge);
      const [verified, ...others] = race<unknown>(processes, (ctx, i) =>
        i === 0
          ? verifyChallenge(ctx, { handle, signature })
          : registerAgent(ctx, registration(handle, newKey())),
      );
      const refused = await tally(others);
      await verified;
      expect((refused['registration_in_progress'] ?? 0) + (refused['handle_taken'] ?? 0)).toBe(racers - 1);
      expect(await openRegistrations(handle)).toBe(0);
    }
  });

  test('logins with one key at once all succeed, each with a token of its own', async () => {
    const processes = bothProcesses();
    const { agent, key } = await signUp(processes[0]);
    const { handle } = agent;
    const logins = race(processes, async (ctx) => {
      const { challenge } = await startLogin(ctx, { handle });
      return verifyChallenge(ctx, { handle, signature: key.sign(challenge) });
    });
    const tokens = (await Promise.all(logins)).map(({ token }) => token);
    expect(new Set(tokens).size).toBe(racers);
  });

  test('a flood of login requests of strangers keeps no login from succeeding', async () => {
    const processes = bothProcesses();
    const { agent, key } = await signUp(processes[0]);
    const { handle } = agent;
    for (let times = 0; times < 2 * openLoginsMax; times += 1) await startLogin(processes[0], { handle });
    const calls = race<unknown>(processes, async (ctx, i) => {
      const { challenge } = await startLogin(ctx, { handle });
      if (i % 2 === 0) await verifyChallenge(ctx, { handle, signature: key.sign(challenge) });
    });
    expect(await tally(calls)).toEqual({ ok: racers });
  });

  test('one login signature sent many times gives one token', async () => {
    const processes = bothProcesses();
    const { agent, key } = await signUp(processes[0]);
    const { handle } = agent;
    const { challenge } = await startLogin(processes[0], { handle });
    const signature = key.sign(challenge);
    const calls = race(processes, (ctx) => verifyChallenge(ctx, { handle, signature }));
    expect(await tally(calls)).toEqual({ ok: 1, challenge_used: racers - 1 });
  });

  test('at most a hundred tokens are valid, however many are issued concurrently', async () => {
    const processes = bothProcesses();
    const { agent, ctx } = await signUp(processes[0]);
    await withTransaction(processes[0], async (inner) => {
      for (let i = 0; i < 98; i += 1) await issueBearerToken(inner, agent.id);
    });
    await Promise.all(
      race(processes, (ctx) => withTransaction(ctx, (inner) => issueBearerToken(inner, agent.id))),
    );
    const { bearerTokens } = store.db.tables;
    const live = await ctx.db.query
      .select()
      .from(bearerTokens)
      .where(and(eq(bearerTokens.agentId, agent.id), isNull(bearerTokens.revokedAt)));
    expect(live).toHaveLength(100);
  });
});
