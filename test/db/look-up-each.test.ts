import { expect, test } from 'bun:test';
import {
  findActingAgents,
  findActingAgentsWithBalances,
  hashBearerToken,
} from '#domain/agents/token-bearers.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { connectDirectly } from '#test/harness/postgres.ts';
import { faultOf, recordSelects } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';

const crowdSize = 1_000;

const lookUps = {
  'by themselves': findActingAgents,
  'with balances': findActingAgentsWithBalances,
};

forEachStore((store) => {
  test.each(Object.entries(lookUps))('bearer tokens are looked up by index %s', async (_how, lookUp) => {
    const ctx = createTestCtx(store.db);
    const crowd = await createCrowd(ctx, crowdSize, 1);
    const hashes = crowd.slice(0, 20).map(({ bearerToken }) => hashBearerToken(bearerToken));
    let found: ReadonlyMap<string, { agent: { id: string } }> = new Map();
    const [select] = await recordSelects(store.db, async () => {
      found = await lookUp(store.db, [...hashes, 'unknown']);
    });
    expect(hashes.map((hash) => found.get(hash)?.agent.id)).toEqual(crowd.slice(0, 20).map(({ id }) => id));
    expect(found.size).toBe(20);
    if (store.setting.kind === 'sqlite') return;
    const client = connectDirectly(store.setting.url);
    // With statistics, a scan of so few agents seems cheap.
    await client.unsafe('analyze agents, bearer_tokens, token_accounts, token_lots');
    await client.unsafe('set plan_cache_mode = force_generic_plan');
    await client.unsafe(`prepare look_up as ${select?.sql}`);
    const rows: Record<string, string>[] = await client.unsafe(
      `explain execute look_up(${select?.params.map(() => 'null').join(', ')})`,
    );
    await client.close();
    expect(faultOf(rows.map((row) => Object.values(row)[0]).join('\n'))).toBeNull();
  });
});
