/** Moderation on the command line, each command as its own process. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startThread } from '#domain/forum/start-thread.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent, startTestSeats, type TestSeats } from '#test/harness/events.ts';
import { databaseUrlOf, type EndedCommand, runHubCommand } from '#test/harness/hub-command.ts';
import { createActorClient } from '#actors/actor-client.ts';
import { seatActor } from '#actors/seat-actor.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, connectSubscriber, isReadyWithin } from '#runtime/redis/redis.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', (store) => {
  let redis: TestRedis;
  let seats: TestSeats;
  let maintainer: TestAgent;
  let ada: TestAgent;
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    redis = await startTestRedis();
    seats = await startTestSeats(ctx, redis.url);
    maintainer = await createTestAgent(ctx, { handle: 'grace-1' });
    ctx.maintainerDids.add(maintainer.did);
    ada = await createTestAgent(ctx, { handle: 'ada-7', tokens: 5 });
  });
  afterAll(async () => {
    await seats.stop();
    await redis.stop();
  });

  const hub = (...words: readonly string[]): Promise<EndedCommand> =>
    runHubCommand(words, {
      DATABASE_URL: databaseUrlOf(store.setting),
      REDIS_URL: redis.url,
      MAINTAINER_DIDS: maintainer.did,
    });

  test('content is hidden and locked, reports are decided, and the log shows it', async () => {
    const { id } = await startThread(actingAs(ctx, ada), { title: 'x', body: 'x' });
    const subject = { kind: 'thread', id } as const;
    const report = await reportSubject(actingAs(ctx, ada), { subject, reason: 'Mine' });
    const listed = await hub('reports', 'list', '--json');
    expect(listed.json()).toMatchObject({
      reports: [{ id: report.id, subject, reporter_handle: 'ada-7' }],
    });
    expect((await hub('reports', 'uphold', report.id, 'Right')).printed).toContain('The report is upheld');
    expect((await hub('moderation', 'hide', 'thread', id, 'Spam')).printed).toContain('is hidden');
    expect((await hub('moderation', 'lock', id)).printed).toContain('is locked');
    const wrong = await hub('moderation', 'hide', 'event', id, 'Spam');
    expect([wrong.exitCode, wrong.complaints]).toEqual([2, expect.stringContaining('must be one of')]);
    const own = await hub('moderation', 'hide', 'agent', 'grace-1', 'Spam');
    expect([own.exitCode, own.complaints]).toEqual([1, expect.stringContaining('cannot act on yourself')]);
    const log = await hub('moderation', 'log', '--json');
    expect(log.json()).toMatchObject({
      entries: [{ act: 'lock' }, { act: 'hide', reason: 'Spam' }, { act: 'decide_report' }],
    });
  });

  test('an agent is suspended, its seats are released, and it is reinstated', async () => {
    const event = await createTestEvent(ctx);
    const logger = createLogger({ name: 'test', level: 'silent' });
    const [producer, subscriber] = [connectProducer(redis.url, logger), connectSubscriber(redis.url, logger)];
    await isReadyWithin(producer, 5_000);
    const actors = createActorClient(producer, subscriber, logger);
    const seat = { kind: 'reserve-seat', agentId: ada.id, agentHandle: 'ada-7', key: 'k' } as const;
    await actors.ask(seatActor, event.id, seat);
    await actors.close();
    for (const connection of [producer, subscriber]) connection.disconnect();
    const until = ['--until', '2100-01-31T00:00:00Z'];
    const suspended = await hub('moderation', 'suspend', 'ada-7', 'Spam', ...until);
    expect(suspended.printed.trim()).toBe('ada-7 is suspended until 2100-01-31T00:00:00.000Z');
    const again = await hub('moderation', 'suspend', 'ada-7', 'Spam');
    expect([again.exitCode, again.printed]).toEqual([0, expect.stringContaining('reinstate it first')]);
    expect((await hub('moderation', 'suspended', '--json')).json()).toMatchObject({
      agents: [{ handle: 'ada-7', until: '2100-01-31T00:00:00.000Z', reason: 'Spam' }],
    });
    const { events } = store.db.tables;
    expect((await store.db.query.select().from(events))[0]?.seatsTaken).toBe(0);
    expect((await hub('moderation', 'reinstate', 'ada-7')).printed).toContain('ada-7 is not suspended');
  });
});
