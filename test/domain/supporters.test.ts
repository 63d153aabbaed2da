/** Support: who may start and end it, when it lapses, and that it starts once. `test/api/supporters.test.ts` has the rest. */
import { expect, test } from 'bun:test';
import { findAgentById } from '#domain/agents/find-agent.ts';
import { createSupporter, endLapsedSupporters, endSupporter } from '#domain/supporters/create-supporter.ts';
import { listSupporters, showSupportStatus } from '#domain/supporters/find-support.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf } from './outcomes.ts';
import { openTwoProcesses } from './two-processes.ts';

const hourMs = 60 * 60 * 1_000;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let agent: TestAgent;
  const ctx = useTestCtx(store);
  const { agent: maintainer } = useAgentCtx(ctx, { isMaintainer: true });
  async function newAgent() {
    agent = await createTestAgent(ctx);
    return agent.handle;
  }
  const begin = (handle: string, endsAt: Date | null = null, by = maintainer, at = ctx) =>
    createSupporter(actingAs(at, by), { handle, tier: 'supporter', endsAt });
  const end = (handle: string, by = maintainer) => endSupporter(actingAs(ctx, by), { handle });
  const status = () => showSupportStatus(actingAs(ctx, agent));
  const tier = async () => (await findAgentById(ctx.db, agent.id))?.sponsorTier;
  const onWall = async () =>
    (await listSupporters(ctx, { limit: 100, cursor: null })).items.some(
      ({ handle }) => handle === agent.handle,
    );

  test('support lapses exactly at its end, and the sweeper then clears the tier', async () => {
    const endsAt = new Date(ctx.clock.now().getTime() + hourMs);
    await begin(await newAgent(), endsAt);
    ctx.clock.advance(hourMs - 1);
    expect([(await status()).active, await onWall(), await endLapsedSupporters(ctx)]).toEqual([
      true,
      true,
      0,
    ]);
    ctx.clock.advance(1);
    expect([(await status()).active, await onWall(), await tier()]).toEqual([false, false, 'supporter']);
    expect(await endLapsedSupporters(ctx)).toBe(1);
    expect([await tier(), (await status()).endsAt]).toEqual(['none', endsAt]);
  });

  test('lapsed support that was not swept yet can be begun anew', async () => {
    const handle = await newAgent();
    await begin(handle, new Date(ctx.clock.now().getTime() + 1));
    ctx.clock.advance(1);
    await begin(handle);
    expect(await status()).toEqual({ active: true, since: ctx.clock.now(), endsAt: null });
  });

  test('only maintainers begin and end support, for existing agents and with a future end', async () => {
    const handle = await newAgent();
    expect(await codeOf(begin(handle, null, agent))).toBe('maintainer_only');
    expect(await codeOf(begin(handle, ctx.clock.now()))).toBe('invalid_body');
    expect(await codeOf(begin('nobody-at-all'))).toBe('unknown_agent');
    expect(await codeOf(end('nobody-at-all'))).toBe('unknown_handle');
    await begin(handle);
    expect(await codeOf(end(handle, agent))).toBe('maintainer_only');
    expect(await onWall()).toBe(true);
  });

  test('concurrent maintainers start one support', async () => {
    const handle = await newAgent();
    const started = await Promise.all(race(ctx, 12, (at) => begin(handle, null, maintainer, at)));
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
  });
});
