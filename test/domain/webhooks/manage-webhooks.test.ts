/** Webhooks as their owners manage them: the limit per agent, ownership, allowed URLs, and what is pruned when. */
import { expect, test } from 'bun:test';
import { createWebhook, deleteWebhook } from '#domain/webhooks/create-webhook.ts';
import { findDelivery } from '#domain/webhooks/enqueue-deliveries.ts';
import { listDeliveries, listWebhooks, showWebhook } from '#domain/webhooks/show-webhook.ts';
import { pruneWebhooks } from '#domain/webhooks/prune-webhooks.ts';
import { recordAttempt } from '#domain/webhooks/record-attempt.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { activate, tell } from '#test/harness/webhooks.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

const hourMs = 60 * 60 * 1_000;
const page = { limit: 100, cursor: null };

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const create = (agent: TestAgent, url = 'https://93.184.216.34/hook', at = ctx) =>
    createWebhook(actingAs(at, agent), { url, events: ['waitlist.open'], secretKey: testSecretKey });
  /** Ends all pending deliveries of a webhook as delivered. */
  async function deliver(webhookId: string): Promise<void> {
    for (const { id } of await rowsOf(ctx, 'webhookDeliveries', { webhookId })) {
      const found = (await findDelivery(ctx.db, id))!;
      const outcome = { kind: 'delivered', responseStatus: 204 } as const;
      await recordAttempt(ctx, { found, outcome, jobId: Bun.randomUUIDv7() });
    }
  }

  test('an agent has at most ten webhooks, even when it creates them concurrently; deleting one makes room', async () => {
    const agent = await createTestAgent(ctx);
    let made = 0;
    const calls = race(ctx, 16, (at) => create(agent, `https://93.184.216.34/${(made += 1)}`, at));
    expect(await tally(calls)).toEqual({ ok: 10, limit_reached: 6 });
    const { items } = await listWebhooks(actingAs(ctx, agent), page);
    const deleted = { webhookId: items[0]!.id };
    await deleteWebhook(actingAs(ctx, agent), deleted);
    expect(await codeOf(showWebhook(actingAs(ctx, agent), deleted))).toBe('not_found');
    const { webhook } = await create(agent);
    expect((await listWebhooks(actingAs(ctx, agent), { ...page, limit: 1 })).items).toEqual([webhook]);
  });

  test('events are stored once each, in the documented order, and the secret only as a hash', async () => {
    const agent = await createTestAgent(ctx);
    const { webhook, secret } = await createWebhook(actingAs(ctx, agent), {
      url: 'https://93.184.216.34/hook',
      events: ['waitlist.open', 'thread.reply', 'waitlist.open'],
      secretKey: testSecretKey,
    });
    expect(webhook.events).toEqual(['thread.reply', 'waitlist.open']);
    expect(secret).toStartWith('whsec_');
    const shown = await showWebhook(actingAs(ctx, agent), { webhookId: webhook.id });
    expect(JSON.stringify(shown)).not.toContain(secret);
  });

  test('URLs that the hub must not call are rejected', async () => {
    const agent = await createTestAgent(ctx);
    for (const url of 'http://127.0.0.1/ http://[::1]/ http://10.0.0.1/ ftp://a.example/ https://me@a.example/'.split(
      ' ',
    ))
      expect(await codeOf(create(agent, url))).toBe('invalid_target_url');
  });

  test('ended deliveries are pruned after a week and pending ones never; a deleted webhook goes with its log', async () => {
    const agent = await createTestAgent(ctx);
    const { webhook } = await create(agent);
    await activate(ctx, webhook.id);
    await tell(ctx, agent);
    await deliver(webhook.id);
    ctx.clock.advance(1);
    await tell(ctx, agent);
    const log = async () => {
      const { items } = await listDeliveries(actingAs(ctx, agent), { webhookId: webhook.id, ...page });
      return items.map(({ status }) => status);
    };
    ctx.clock.advance(7 * 24 * hourMs - 1);
    await pruneWebhooks(ctx, { retentionDays: 7 });
    expect(await log()).toEqual(['pending', 'delivered']);
    ctx.clock.advance(1);
    await pruneWebhooks(ctx, { retentionDays: 0 });
    expect(await log()).toEqual(['pending', 'delivered']);
    await pruneWebhooks(ctx, { retentionDays: 7 });
    expect(await log()).toEqual(['pending']);

    await deleteWebhook(actingAs(ctx, agent), { webhookId: webhook.id });
    const kept = () => rowsOf(ctx, 'webhooks', { id: webhook.id });
    await deliver(webhook.id);
    ctx.clock.advance(7 * 24 * hourMs);
    await pruneWebhooks(ctx, { retentionDays: 7 });
    expect(await kept()).toHaveLength(1);
    ctx.clock.advance(1);
    await pruneWebhooks(ctx, { retentionDays: 7 });
    expect(await kept()).toEqual([]);
  });
});
