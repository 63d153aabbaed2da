/** Agents and maintainers act on token requests at the same moment, through two processes; and what maintainers may grant. */
import { expect, test } from 'bun:test';
import { closeAccount, expireClosedBalances, startClosing } from '#domain/account/close-account.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { decideRequest, requestTokens } from '#domain/tokens/requests/request-tokens.ts';
import type { AgentCtx } from '#domain/context.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { rowsOf, rowOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { balanceOf, codeOf, expectNoDrift, tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { grantTokens, type GrantTokensInput } from '#domain/tokens/grant-tokens.ts';
import { spendTokens } from './moves.ts';

const hourMs = 60 * 60 * 1_000;
const rounds = 5;
const amount = 7;
const asked = { amount, reason: 'To improve' };

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const maintainer = useAgentCtx(ctx, { isMaintainer: true });
  const maintainers = [maintainer, useAgentCtx(ctx, { isMaintainer: true })];
  const { agent } = useAgentCtx(ctx);
  const { agent: stranger } = useAgentCtx(ctx);
  const decide = (at: TestCtx, requestId: string, decision: 'approved' | 'rejected', by = 0) =>
    decideRequest(actingAs(at, maintainers[by]!.agent), { requestId, decision, note: null });

  test('an agent that asks several times at once has one open request', async () => {
    const agent = await createTestAgent(ctx);
    expect(await tally(race(ctx, 6, (at) => requestTokens(actingAs(at, agent), asked)))).toEqual({
      ok: 1,
      request_open: 5,
    });
  });

  test('of several decisions at once one counts, and tokens are granted only if it approves', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const agent = await createTestAgent(ctx);
      const { request } = await requestTokens(actingAs(ctx, agent), asked);
      const decided = race(ctx, 6, (at, index) =>
        decide(at, request.id, (index + round) % 3 === 0 ? 'rejected' : 'approved', index % 2),
      );
      expect(await tally(decided)).toEqual({ ok: 1, already_decided: 5 });
      const { status } = await rowOf(ctx, 'requests', { id: request.id });
      expect((await balanceOf(ctx, agent)).balance).toBe(status === 'approved' ? amount : 0);
    }
    await expectNoDrift(ctx);
  });

  test('an account that is closed while its request is approved keeps no tokens', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { agent, key, ctx: own } = await signUp(ctx, `asker-${store.dialect}-${round}`);
      const { request } = await requestTokens(own, asked);
      const signature = key.sign((await startClosing(own)).challenge.challenge);
      const approve = (at: TestCtx) => decide(at, request.id, 'approved');
      const close = (at: TestCtx) => closeAccount({ ...own, db: at.db }, signature);
      const acts = round % 2 === 0 ? [approve, close] : [close, approve];
      const outcomes = await tally(race<unknown>(ctx, acts.length, (at, index) => acts[index]!(at)));
      expect(outcomes['ok']).toBeGreaterThan(0);
      await expireClosedBalances(ctx);
      expect((await readBalances(ctx.db, [agent.id], ctx.clock.now())).get(agent.id)?.balance ?? 0).toBe(0);
    }
    await expectNoDrift(ctx);
  });

  // Grants: who may make them, their limits, and that a reference is granted once.
  const plain = { amount: 1, reason: 'for a test', expiresAt: null, reference: null };
  const grant = (changes: Partial<GrantTokensInput> = {}, by: AgentCtx = maintainer) =>
    grantTokens(by, { ...plain, handle: agent.handle, ...changes });

  const tokensOf = async (agent: TestAgent) => (await balanceOf(ctx, agent)).balance;
  const entriesOf = async ({ id }: TestAgent) =>
    (await rowsOf(ctx, 'tokenEntries', { agentId: id })).toSorted((a, b) => a.sequence - b.sequence);

  test('a grant raises the balance and is an entry with all its details', async () => {
    const before = await tokensOf(agent);
    const expiresAt = new Date(ctx.clock.now().getTime() + hourMs);
    const reference = Bun.randomUUIDv7();
    const result = await grant({ amount: 12, reason: 'Willkommen 🎉', expiresAt, reference });
    expect(result).toMatchObject({ granted: true, balance: before + 12 });
    expect(result.entry).toEqual((await entriesOf(agent)).at(-1)!);
    expect(result.entry).toMatchObject({
      agentId: agent.id,
      kind: 'grant',
      amount: 12,
      balanceAfter: before + 12,
      reason: 'Willkommen 🎉',
      reference,
      expiresAt,
      createdAt: ctx.clock.now(),
    });
  });

  test('only maintainers may grant, even to themselves', async () => {
    const before = await tokensOf(agent);
    expect(await codeOf(grant({}, actingAs(ctx, agent)))).toBe('maintainer_only');
    expect(await tokensOf(agent)).toBe(before);
  });

  test('1 and 1,000,000 tokens are granted; 0, one more and fractions are rejected', async () => {
    const receiver = await createTestAgent(ctx);
    const give = (amount: number) => grant({ handle: receiver.handle, amount });
    await give(1);
    await give(1_000_000);
    for (const amount of [0, -1, 1_000_001, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(await codeOf(give(amount))).toBe('invalid_body');
    expect(await tokensOf(receiver)).toBe(1_000_001);
  });

  test('an expiry must be in the future: now is too early, a millisecond from now is not', async () => {
    const at = (ms: number) => grant({ expiresAt: new Date(ctx.clock.now().getTime() + ms) });
    for (const ms of [-hourMs, -1, 0]) expect(await codeOf(at(ms))).toBe('invalid_body');
    expect(await at(1)).toMatchObject({ granted: true });
  });

  test('an unknown handle is rejected', async () => {
    expect(await codeOf(grant({ handle: 'nobody-at-all' }))).toBe('unknown_agent');
  });

  test('the same reference returns the first entry even after its tokens have expired', async () => {
    const reference = Bun.randomUUIDv7();
    const expiresAt = new Date(ctx.clock.now().getTime() + hourMs);
    const first = await grant({ amount: 5, reference, expiresAt });
    ctx.clock.advance(2 * hourMs);
    const second = await grant({ amount: 5, reference, expiresAt, reason: 'said otherwise' });
    expect(second).toEqual({ entry: first.entry, balance: await tokensOf(agent), granted: false });
    // Opening the account settled due expiries, although nothing was granted.
    expect((await entriesOf(agent)).at(-1)).toMatchObject({ kind: 'expiry', amount: -5 });
  });

  test('the same reference for another agent or another amount is rejected', async () => {
    const reference = Bun.randomUUIDv7();
    await grant({ amount: 5, reference });
    const before = await tokensOf(stranger);
    for (const changes of [{ amount: 5, handle: stranger.handle }, { amount: 6 }])
      expect(await codeOf(grant({ reference, ...changes }))).toBe('conflict');
    expect(await tokensOf(stranger)).toBe(before);
  });

  test('the reference of a grant may also be that of a spend', async () => {
    const reference = Bun.randomUUIDv7();
    await grant({ amount: 5 });
    await spendTokens(ctx, agent.id, 5, reference);
    expect(await grant({ amount: 5, reference })).toMatchObject({ granted: true });
  });

  test('the same reference used concurrently for two agents grants once and rejects the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const reference = Bun.randomUUIDv7();
      const before = (await tokensOf(agent)) + (await tokensOf(stranger));
      const receivers = [agent, stranger, agent, stranger];
      const calls = receivers.map(({ handle }) => grant({ amount: 2, reference, handle }));
      expect(await tally(calls)).toEqual({ ok: 2, conflict: 2 });
      expect((await tokensOf(agent)) + (await tokensOf(stranger))).toBe(before + 2);
    }
  });
});
