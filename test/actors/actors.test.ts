/** Guarantees of the actor runtime for any type of actor: a counter on both stores and a real Redis. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Queue } from 'bullmq';
import { Cluster } from 'ioredis';
import { and, eq } from 'drizzle-orm';
import { type ActorClient, createActorClient } from '#actors/actor-client.ts';
import { type ActorWorker, startActorWorker } from '#actors/actor-worker.ts';
import { createCommitter } from '#actors/committer.ts';
import { epochKeptMs } from '#actors/limits.ts';
import { withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { renderMetrics } from '#runtime/tracing/metrics.ts';
import { connectProducer, connectSubscriber, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { parseMetrics, sumOf } from '#test/harness/metrics.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import {
  type CounterCommand,
  type CounterProtocol,
  type CounterReply,
  counterTables,
  createCounter,
  createCounterActor,
  createCounterTables,
  firstEpoch,
  readCounter,
} from './counter-actor.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const type = createCounterActor();
/** Generous: another process may occupy the machine for a while. */
const waitMs = 20_000;
const poison = 'poison';

forEachStore((store) => {
  let server: TestRedis;
  let redis: Redis;
  let subscriber: Redis;
  let client: ActorClient;
  let ctx: TestCtx;
  const workers = new Set<ActorWorker>();

  beforeAll(async () => {
    await createCounterTables(store.setting);
    server = await startTestRedis();
    redis = connectProducer(server.url, logger);
    subscriber = connectSubscriber(server.url, logger);
    await isReadyWithin(redis, 5_000);
    client = createActorClient(redis, subscriber, logger);
    ctx = createTestCtx(store.db);
  });
  afterAll(async () => {
    await stopWorkers();
    await client.close();
    redis.disconnect();
    subscriber.disconnect();
    await server.stop();
  });

  function startWorker(concurrency = 10): void {
    workers.add(startActorWorker({ ctx, types: [type], concurrency, redisUrl: server.url, redis, logger }));
  }

  async function stopWorkers(): Promise<void> {
    await Promise.all([...workers].map((worker) => worker.drain()));
    workers.clear();
  }

  const newCounter = () => createCounter(store.db);
  const valueOf = async (id: string): Promise<number> => (await readCounter(store.db, id)).value;

  const step = (name: string, act?: CounterCommand['act']): CounterCommand =>
    act === undefined ? { step: name } : { step: name, act };
  const ask = (id: string, command: CounterCommand, timeoutMs = waitMs): Promise<CounterReply> =>
    client.ask<CounterProtocol, CounterCommand>(
      type,
      id,
      command,
      timeoutMs === undefined ? {} : { timeoutMs },
    );
  const codeOf = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'no refusal',
      (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
    );

  /** Commands of one actor, ready to commit. */
  const workOf = (actorId: string, state: unknown, names: readonly string[], epoch = firstEpoch) => ({
    actorId,
    epoch,
    state,
    messages: names.map((name) => ({
      entryId: name,
      id: name,
      replyTo: 'me',
      deadline: Number.POSITIVE_INFINITY,
      command: step(`${actorId} ${name}`, name === poison ? 'throw' : undefined),
    })),
  });

  test('without a worker a command is refused at its deadline, and is not carried out later', async () => {
    const id = await newCounter();
    expect(await codeOf(ask(id, step(`${id} late`), 150))).toBe('queue_unavailable');
    startWorker();
    expect(await ask(id, step(`${id} next`))).toEqual({ value: 1 });
    await stopWorkers();
  });

  test('without a process to wake directly, the wake goes to the queue; while another command waits, no wake is needed', async () => {
    const id = await newCounter();
    const order: string[] = [];
    if (redis instanceof Cluster) throw new Error('A single Redis was started.');
    const single = redis;
    const sendCommand = single.sendCommand.bind(single);
    const watched = [redisNames.mailbox(`counter/${id}`), 'hub:queue:{actor-wakes}'];
    single.sendCommand = (command, ...rest) => {
      const key = command.args.map(String).find((word) => watched.some((name) => word.startsWith(name)));
      const name = key === watched[0] ? 'command' : 'wake';
      if (key !== undefined) {
        order.push(`${name} sent`);
        void command.promise.then(() => order.push(`${name} answered`)).catch(() => undefined);
      }
      return sendCommand(command, ...rest);
    };
    try {
      const asked = [ask(id, step(`${id} alone`), 500)];
      await waitUntil(async () => order.includes('wake answered'));
      expect(order.slice(0, 3)).toEqual(['command sent', 'command answered', 'wake sent']);
      order.length = 0;
      asked.push(ask(id, step(`${id} behind`), 100));
      await Promise.all(asked.map(codeOf));
      // The mailbox was not empty: the activation that reads it finds this command too.
      expect(order).toEqual(['command sent', 'command answered']);
    } finally {
      Reflect.deleteProperty(redis, 'sendCommand');
    }
  });

  test('two workers take turns without losing or repeating a step', async () => {
    startWorker();
    startWorker();
    const ids = [await newCounter(), await newCounter(), await newCounter()];
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(
        ids.flatMap((id) => [0, 1, 2].map((part) => ask(id, step(`${id} ${round} ${part}`)))),
      );
    }
    expect(await Promise.all(ids.map(valueOf))).toEqual([120, 120, 120]);
    await stopWorkers();
  });

  test('one command that throws among 256 costs few transactions, and the others are committed', async () => {
    const committer = createCommitter(ctx, type, logger);
    const [id, other] = [await newCounter(), await newCounter()];
    const names = Array.from({ length: 256 }, (_, index) => (index === 77 ? poison : `${index}`));
    const before = type.seen.transactions;
    const [done, bystander] = await Promise.all([
      committer.commit(workOf(id, null, names)),
      committer.commit(workOf(other, null, ['one'])),
    ]);
    expect(type.seen.transactions - before).toBeLessThanOrEqual(2 * Math.log2(256) + 3);
    expect(done.results.map((result) => 'reply' in result)).toEqual(names.map((name) => name !== poison));
    expect(bystander.results).toEqual([{ reply: { value: 1 } }]);
    expect([await valueOf(id), await valueOf(other)]).toEqual([255, 1]);
  });

  test('an emptied mailbox leaves only its epoch in Redis, which expires', async () => {
    startWorker();
    const id = await newCounter();
    await ask(id, step(`${id} one`));
    await stopWorkers();
    const epochKey = redisNames.mailboxEpoch(`counter/${id}`);
    expect(await redis.keys(`hub:*mailbox*${id}*`)).toEqual([epochKey]);
    expect(await redis.pttl(epochKey)).toBeWithin(1, epochKeptMs + 1);
    expect(await redis.keys('hub:*mailboxes')).toEqual([]);
  });

  test('a process that is given an actor several times at once still returns each command its own result', async () => {
    const id = await newCounter();
    const queue = new Queue('actor-wakes', {
      connection: redis,
      prefix: redisNames.queuePrefix('actor-wakes'),
    });
    startWorker(20);
    for (let round = 0; round < 5; round += 1) {
      const asked = Array.from({ length: 100 }, (_, index) => ask(id, step(`${id} ${round} ${index}`)));
      // BullMQ does this with the job of a process that was paused past its lock and continues.
      await queue.addBulk(Array.from({ length: 10 }, () => ({ name: 'wake', data: `counter/${id}` })));
      const values = (await Promise.all(asked)).map(({ value }) => value);
      expect(values).toEqual(Array.from({ length: 100 }, (_, index) => round * 100 + index + 1));
    }
    await queue.close();
    await stopWorkers();
  });

  test('the fence: a superseded activation commits nothing, nor does anything that shares its transaction', async () => {
    const [id, other] = [await newCounter(), await newCounter()];
    const [first, second] = [createCommitter(ctx, type, logger), createCommitter(ctx, type, logger)];
    const conflicts = async () =>
      sumOf(parseMetrics(await renderMetrics()), 'hub_actor_epoch_conflicts_total', { type: type.name });
    const conflictsBefore = await conflicts();
    const before = await first.commit(workOf(id, null, ['a']));
    expect(before.end).toBe('done');
    const epoch = (await withTransaction(ctx, (inner) => type.claim(inner, [id]))).get(id);
    expect((await second.commit(workOf(id, null, ['b'], epoch))).end).toBe('done');
    const [late, bystander] = await Promise.all([
      first.commit(workOf(id, before.state, ['c'])),
      first.commit(workOf(other, null, ['a'])),
    ]);
    expect(await conflicts()).toBe(conflictsBefore + 1);
    expect([late.end, late.results, bystander.end, bystander.results.length]).toEqual([
      'superseded',
      [],
      'done',
      1,
    ]);
    expect([await valueOf(id), await valueOf(other)]).toEqual([2, 1]);
    const { steps } = counterTables[store.dialect];
    const found = await store.db.query
      .select()
      .from(steps)
      .where(and(eq(steps.counterId, id), eq(steps.step, `${id} c`)));
    expect(found).toEqual([]);
  });
});
