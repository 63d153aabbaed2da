/** Guarantees of the actor runtime for any type of actor: a counter on both stores and a real Redis. */
import { afterAll, expect, test } from 'bun:test';
import { type ActorWorker, startActorWorker } from '#actors/actor-worker.ts';
import { createCommitter } from '#actors/committer.ts';
import { epochKeptMs } from '#actors/limits.ts';
import { DomainError } from '#domain/errors.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useActorClient } from './connections.ts';
import {
  type CounterCommand,
  type CounterProtocol,
  type CounterReply,
  firstEpoch,
  stepOf,
  useCounters,
} from './counter-actor.ts';
import { messageOf } from './messages.ts';

/** Generous: another process may occupy the machine for a while. */
const waitMs = 20_000;
const poison = 'poison';

forEachStore((store) => {
  // Before the connections are closed.
  afterAll(() => stopWorkers());
  const connections = useActorClient();
  const { redis, client } = connections;
  const ctx = useTestCtx(store);
  const workers = new Set<ActorWorker>();

  function startWorker(): void {
    const redisUrl = connections.url;
    workers.add(startActorWorker({ ctx, types: [type], concurrency: 10, redisUrl, redis, logger }));
  }

  async function stopWorkers(): Promise<void> {
    await Promise.all([...workers].map((worker) => worker.drain()));
    workers.clear();
  }

  const { type, create: newCounter, read } = useCounters(store);
  const valueOf = async (id: string): Promise<number> => (await read(id)).value;

  const ask = (id: string, command: CounterCommand, timeoutMs = waitMs): Promise<CounterReply> =>
    client.ask<CounterProtocol, CounterCommand>(type, id, command, { timeoutMs });
  const codeOf = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'no refusal',
      (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
    );

  /** Commands of one actor, ready to commit. */
  const workOf = (actorId: string, names: readonly string[]) => ({
    actorId,
    epoch: firstEpoch,
    state: null,
    messages: names.map((name) =>
      messageOf(name, stepOf(`${actorId} ${name}`, name === poison ? 'throw' : undefined)),
    ),
  });

  test('without a worker a command is refused at its deadline, and is not carried out later', async () => {
    const id = await newCounter();
    expect(await codeOf(ask(id, stepOf(`${id} late`), 150))).toBe('queue_unavailable');
    startWorker();
    expect(await ask(id, stepOf(`${id} next`))).toEqual({ value: 1 });
    await stopWorkers();
  });

  test('two workers take turns without losing or repeating a step', async () => {
    startWorker();
    startWorker();
    const ids = [await newCounter(), await newCounter(), await newCounter()];
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(
        ids.flatMap((id) => [0, 1, 2].map((part) => ask(id, stepOf(`${id} ${round} ${part}`)))),
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
      committer.commit(workOf(id, names)),
      committer.commit(workOf(other, ['one'])),
    ]);
    expect(type.seen.transactions - before).toBeLessThanOrEqual(2 * Math.log2(256) + 3);
    expect(done.results.map((result) => 'reply' in result)).toEqual(names.map((name) => name !== poison));
    expect(bystander.results).toEqual([{ reply: { value: 1 } }]);
    expect([await valueOf(id), await valueOf(other)]).toEqual([255, 1]);
  });

  test('an emptied mailbox leaves only its epoch in Redis, which expires', async () => {
    startWorker();
    const id = await newCounter();
    await ask(id, stepOf(`${id} one`));
    await stopWorkers();
    const epochKey = redisNames.mailboxEpoch(`counter/${id}`);
    expect(await redis.keys(`hub:*mailbox*${id}*`)).toEqual([epochKey]);
    expect(await redis.pttl(epochKey)).toBeWithin(1, epochKeptMs + 1);
    expect(await redis.keys('hub:*mailboxes')).toEqual([]);
  });
});
