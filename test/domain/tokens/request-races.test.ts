/** Agents and maintainers act on token requests at the same moment, through two processes. */
import { beforeAll, expect, test } from 'bun:test';
import { closeAccount, expireClosedBalances, startClosing } from '#domain/account/close-account.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { decideRequest, requestTokens } from '#domain/tokens/requests/request-tokens.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

const rounds = 5;
const amount = 7;
const asked = { amount, reason: 'To improve' };

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let maintainers: TestAgent[];
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    maintainers = [await createTestAgent(ctx), await createTestAgent(ctx)];
    for (const { did } of maintainers) ctx.maintainerDids.add(did);
  });
  const balanceOf = async ({ id }: Pick<TestAgent, 'id'>) =>
    (await readBalances(ctx.db, [id], ctx.clock.now())).get(id)?.balance ?? 0;
  const driftsOf = async () => (await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0);

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
        decideRequest(actingAs(at, maintainers[index % 2]!), {
          requestId: request.id,
          decision: (index + round) % 3 === 0 ? 'rejected' : 'approved',
          note: null,
        }),
      );
      expect(await tally(decided)).toEqual({ ok: 1, already_decided: 5 });
      const [shown] = (await Promise.allSettled(decided)).flatMap((one) =>
        one.status === 'fulfilled' ? one.value.request : [],
      );
      expect(await balanceOf(agent)).toBe(shown?.status === 'approved' ? amount : 0);
    }
    expect(await driftsOf()).toEqual([]);
  });

  test('an account that is closed while its request is approved keeps no tokens', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { agent, key, ctx: own } = await signUp(ctx, `asker-${store.dialect}-${round}`);
      const { request } = await requestTokens(own, asked);
      const signature = key.sign((await startClosing(own)).challenge.challenge);
      const approve = (at: TestCtx) =>
        decideRequest(actingAs(at, maintainers[0]!), {
          requestId: request.id,
          decision: 'approved',
          note: null,
        });
      const close = (at: TestCtx) => closeAccount({ ...own, db: at.db }, signature);
      const acts = round % 2 === 0 ? [approve, close] : [close, approve];
      const outcomes = await tally(race<unknown>(ctx, acts.length, (at, index) => acts[index]!(at)));
      expect(outcomes['ok']).toBeGreaterThan(0);
      await expireClosedBalances(ctx);
      expect(await balanceOf(agent)).toBe(0);
    }
    expect(await driftsOf()).toEqual([]);
  });
});
