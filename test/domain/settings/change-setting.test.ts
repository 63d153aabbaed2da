/** Settings that are changed while the hub runs: they win over the environment, every change is logged, runs may be free. */
import { expect, test } from 'bun:test';
import { findMaintainers } from '#domain/agents/maintainers.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { redeem } from '#domain/runs/redeem.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import {
  changeMaintainer,
  changeSetting,
  listSettingChanges,
  listSettings,
} from '#domain/settings/change-setting.ts';
import { followSettings } from '#domain/settings/follow-settings.ts';
import { createId } from '#runtime/create-id.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { domainErrorOf, expectNoDrift } from '../outcomes.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const pull = {
  product: 'eval-run',
  targetUrl: null,
  target: null,
  runSize: 40,
  maxPromptTokens: 8_000,
  ranked: true,
  secretKey: testSecretKey,
} as const;
const firstPage = { limit: 10, cursor: null };

/** Code, message and hint in one line. */
async function told(work: Promise<unknown>): Promise<string> {
  const { code, message, extras } = await domainErrorOf(work);
  return `${code}: ${message} ${extras.hint ?? ''}`;
}

forEachStore((store) => {
  const ctx = useFreshCtx(store);

  test('a stored value wins over the environment until it is removed', async () => {
    const settings = parseSettings({ AGENT_RUN_COST: '5', ALLOWANCE_DAYS: '9' });
    await changeSetting(ctx, { name: 'AGENT_RUN_COST', value: ' 0 ' });
    await changeSetting(ctx, { name: 'ALLOWANCE_DAYS', value: '8' });
    await changeSetting(ctx, { name: 'ALLOWANCE_DAYS', value: '8' });
    const followed = await followSettings(store.db, settings, logger, null, 100);
    const rules = hubRulesOf(settings, { current: followed.current });
    expect(rules.agentRunCostTokens).toBe(0);
    expect(followed.current().allowanceDays).toBe(8);
    expect(await listSettings({ ...ctx, rules })).toContainEqual({
      name: 'AGENT_RUN_COST',
      value: '0',
      isStored: true,
    });
    await changeSetting(ctx, { name: 'AGENT_RUN_COST', value: null });
    const deadline = performance.now() + 5_000;
    while (rules.agentRunCostTokens === 0 && performance.now() < deadline) await Bun.sleep(50);
    expect(rules.agentRunCostTokens).toBe(5);
    followed.close();
    const { items } = await listSettingChanges(ctx, firstPage);
    expect(items.map(({ change: { name, before, after } }) => [name, before, after])).toEqual([
      ['AGENT_RUN_COST', '0', null],
      ['ALLOWANCE_DAYS', null, '8'],
      ['AGENT_RUN_COST', null, '0'],
    ]);
    await changeSetting(ctx, { name: 'ALLOWANCE_DAYS', value: null });
  });

  test('only settings of a running hub are changed, only to a valid value, and the log names the maintainer', async () => {
    const agent = await createTestAgent(ctx);
    const acting = actingAs(ctx, agent);
    ctx.maintainerDids.add(agent.did);
    for (const [name, value, advice] of [
      ['DATABASE_URL', 'none', /EVAL_RUN_COST/],
      ['EVAL_RUN_COST', 'x', /from 0 to 1000/],
      ['EVAL_RUN_COST', ' ', /null/],
    ] as const)
      expect(await told(changeSetting(acting, { name, value }))).toMatch(advice);
    await changeSetting(acting, { name: 'EVAL_RUN_COST', value: '2' });
    expect((await listSettingChanges(acting, firstPage)).items[0]).toMatchObject({
      actorHandle: agent.handle,
    });
  });

  test('a maintainer is named and dismissed without a restart, whatever the environment says, and logged', async () => {
    const followers = new Set<() => void>();
    const signal = () => followers.forEach((follow) => follow());
    const hub = { ...ctx, publisher: { ...ctx.publisher, signal } };
    const [named, added] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    const settings = parseSettings({ MAINTAINER_DIDS: named.did });
    const followed = await followSettings(store.db, settings, logger, {
      follow: (_, onSignal) => {
        followers.add(onSignal);
        return () => followers.delete(onSignal);
      },
    });
    const rules = hubRulesOf(settings, { current: followed.current });
    const handles = async () => (await findMaintainers({ db: store.db, rules })).map(({ handle }) => handle);
    expect(await handles()).toEqual([named.handle]);
    await changeMaintainer(hub, { did: named.did, isMaintainer: false });
    await changeMaintainer(hub, { did: added.did, isMaintainer: true });
    await changeMaintainer(hub, { did: added.did, isMaintainer: true });
    // Long before it would look by itself.
    const deadline = performance.now() + 2_500;
    while (!rules.maintainerDids.has(added.did) && performance.now() < deadline) await Bun.sleep(5);
    expect(await handles()).toEqual([added.handle]);
    followed.close();
    expect(followers.size).toBe(0);
    const { items } = await listSettingChanges(ctx, { ...firstPage, limit: 2 });
    expect(items.map(({ change: { name, before, after } }) => [name, before, after])).toEqual([
      [`maintainer ${added.did}`, null, 'yes'],
      [`maintainer ${named.did}`, null, 'no'],
    ]);
    expect(items.map(({ maintainer }) => maintainer)).toEqual([
      { did: added.did, handle: added.handle },
      { did: named.did, handle: named.handle },
    ]);
    // By a key that was replaced since, and by one that no agent has.
    const former = `did:key:former-${added.handle}`;
    await store.db.transaction(({ query, tables }) =>
      query
        .insert(tables.formerKeys)
        .values({ publicKey: former, did: former, agentId: added.id, replacedAt: ctx.clock.now() }),
    );
    await changeMaintainer(hub, { did: former, isMaintainer: true });
    await changeMaintainer(hub, { did: 'did:key:nobody', isMaintainer: true });
    const later = await listSettingChanges(ctx, { ...firstPage, limit: 2 });
    expect(later.items.map(({ maintainer }) => maintainer)).toEqual([
      { did: 'did:key:nobody', handle: null },
      { did: former, handle: added.handle },
    ]);
    const { settingChanges } = store.db.tables;
    const createdAt = ctx.clock.now();
    await store.db.transaction(({ query }) =>
      query.insert(settingChanges).values(
        Array.from({ length: 1_000 }, (_, n) => ({
          id: createId(createdAt),
          name: `maintainer ${n}`,
          after: 'no',
          createdAt,
        })),
      ),
    );
    const third = await createTestAgent(ctx);
    expect(await told(changeMaintainer(hub, { did: third.did, isMaintainer: true }))).toMatch(
      /MAINTAINER_DIDS/,
    );
    await store.db.transaction(({ query }) => query.delete(settingChanges));
  });

  test('at the price 0 a run costs nothing, uses up no free run, and ends in any way without a refund', async () => {
    const free = { ...ctx, rules: { ...ctx.rules, evalRunCostTokens: 0 } };
    const acting = actingAs(free, await createTestAgent(ctx));
    const { run, balance } = await redeem(acting, pull);
    expect([run.chargeTokens, run.chargeFree, balance]).toEqual([0, false, 0]);
    const outcome = { kind: 'failed', code: 'cancelled', message: 'Cancelled.' } as const;
    const claim = { runId: run.id, attempt: run.attempt, from: 'queued', jobId: null } as const;
    expect(await settleRun(ctx, { ...claim, outcome })).toBe(true);
    const plain = await redeem(actingAs(ctx, acting.agent), { ...pull, ranked: false });
    expect(plain.run.chargeFree).toBe(true);
    await expectNoDrift(ctx);
  });

  test('on a private hub, a refusal for want of tokens tells the operator of the setting', async () => {
    const identity = { ...ctx.rules.identity, isPrivate: true };
    const agent = await createTestAgent(ctx);
    const refused = (rules: Partial<typeof ctx.rules>) =>
      redeem(actingAs({ ...ctx, rules: { ...ctx.rules, ...rules } }, agent), pull);
    expect(await told(refused({ identity }))).toMatch(/hub settings set EVAL_RUN_COST 0/);
    expect(await told(refused({}))).toMatch(/^(?!.*EVAL_RUN_COST)/s);
  });
});
