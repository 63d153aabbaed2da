/** At most eight calls at once run against one address, over all processes, and a dead holder's places come back. */
import { afterAll, describe, expect, test } from 'bun:test';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { createTargetSlots, type TargetSlots } from '#runtime/turns/target-slots.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { createSharedSlots, type SharedSlots } from '#runtime/redis/shared-slots.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const someone = { network: 'network', agentId: 'agent' };

/** What the processes of the tests hold. */
const opened: { redis: Redis; slots: TargetSlots | SharedSlots }[] = [];
afterAll(() => {
  for (const { redis, slots } of opened) {
    slots.close();
    redis.disconnect();
  }
});
const server = useTestRedis();

/** Opens slots as another process does, with a connection of its own. */
async function openSlots<Slots extends TargetSlots | SharedSlots>(
  create: (redis: Redis) => Slots,
  url = server.url,
): Promise<Slots> {
  const redis = connectProducer(url, logger);
  if (url === server.url) await isReadyWithin(redis, 20_000);
  const slots = create(redis);
  opened.push({ redis, slots });
  return slots;
}

describe('places at a target address', () => {
  const open = () => openSlots((redis) => createTargetSlots(redis, logger));
  const takeMany = (slots: TargetSlots, count: number, address: string, signal?: AbortSignal) =>
    Promise.all(Array.from({ length: count }, () => slots.takeFor(someone)(address, signal)));

  test('three processes together never run more than eight calls at once to an IPv6 /64, whatever the port, and every call gets its turn', async () => {
    const processes = await Promise.all([open(), open(), open()]);
    let running = 0;
    let most = 0;
    const calls = Array.from({ length: 60 }, async (_, index) => {
      const release = await processes[index % 3]!.takeFor(someone)(
        `[2001:db8::${index}]:${80 + index}`,
        undefined,
      );
      running += 1;
      most = Math.max(most, running);
      await Bun.sleep(10);
      running -= 1;
      release();
    });
    await Promise.all(calls);
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(4);
  });

  test('a fast agent gets a place despite long calls of others, in this process or another, and keeps it', async () => {
    const [own, other] = await Promise.all([open(), open()]);
    const address = '192.0.2.9:80';
    const ended = new AbortController();
    let longCalls = 0;
    const callSlowly = async (slots: TargetSlots, agentId: string): Promise<void> => {
      const take = slots.takeFor({ agentId, network: 'slow' });
      while (!ended.signal.aborted) {
        const release = await take(address, ended.signal).catch(() => null);
        longCalls += 1;
        await Bun.sleep(300);
        release?.();
      }
    };
    const slow = Array.from({ length: 40 }, (_, index) =>
      callSlowly(index % 2 === 0 ? own : other, `slow ${index}`),
    );
    await Bun.sleep(50);
    const startedAt = performance.now();
    const take = own.takeFor({ agentId: 'fast', network: 'fast' });
    for (let call = 0; call < 40; call += 1) {
      const release = await take(address, undefined);
      await Bun.sleep(2);
      release();
    }
    const tookMs = performance.now() - startedAt;
    ended.abort();
    await Promise.all(slow);
    expect(longCalls).toBeGreaterThan(8);
    // One long call passes until the first place is free; then nothing waits. A wait per call would take 12 seconds.
    expect(tookMs).toBeLessThan(5_000);
  });

  test('a call that is broken off while it waits takes no place', async () => {
    const slots = await open();
    const releases = await takeMany(slots, 8, '192.0.2.3:80');
    const reason = new Error('broken off');
    // A place of the same agent would be kept for it.
    const other = { network: 'other network', agentId: 'other agent' };
    const waiting = slots.takeFor(other)('192.0.2.3:80', AbortSignal.any([AbortSignal.timeout(50)]));
    await expect(waiting).rejects.toThrow();
    const aborted = slots.takeFor(someone)('192.0.2.3:80', AbortSignal.abort(reason));
    await expect(aborted).rejects.toBe(reason);
    for (const giveBack of releases) giveBack();
    const again = await takeMany(slots, 8, '192.0.2.3:80', AbortSignal.timeout(10_000));
    for (const giveBack of again) giveBack();
  });

  test('places are kept while they are held, and those of a dead process are free after five seconds', async () => {
    const living = await open();
    const dying = await open();
    const kept = await takeMany(living, 4, '192.0.2.4:80');
    await takeMany(dying, 4, '192.0.2.4:80');
    // A process that dies neither renews nor releases.
    dying.close();
    const third = await open();
    const startedAt = performance.now();
    const freed = await takeMany(third, 4, '192.0.2.4:80');
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    // The four that live are still counted, so that a ninth has to wait.
    await expect(takeMany(third, 1, '192.0.2.4:80', AbortSignal.timeout(300))).rejects.toThrow();
    for (const giveBack of [...kept, ...freed]) giveBack();
  });
});

describe('places that are counted over all processes, whose counts Redis may lose at any time', () => {
  const max = 3;
  const places = (redis: Redis) =>
    createSharedSlots({ redis, logger, prefix: 'test:places:', max, ttlMs: 60_000, renewalMs: 50 });

  test('the limit applies over all holders, and releasing a place twice frees one', async () => {
    const [one, two] = [await openSlots(places), await openSlots(places)];
    const first = await one.take('a');
    const held = [await two.take('a'), await one.take('a')];
    expect([await one.take('a'), await two.take('a')]).toEqual([null, null]);
    expect(await two.take('b')).not.toBeNull();
    first?.();
    first?.();
    await waitUntil(async () => (held[2] ??= await two.take('a')) !== null);
    expect(await one.take('a')).toBeNull();
    for (const leave of held) leave?.();
  });

  test('held places are counted again after Redis was flushed', async () => {
    const [one, two] = [await openSlots(places), await openSlots(places)];
    for (let taken = 0; taken < max; taken += 1) expect(await one.take('c')).not.toBeNull();
    const { redis } = opened.at(-1)!;
    await redis.flushall();
    await waitUntil(async () => (await redis.zcard('test:places:c')) === max);
    expect(await two.take('c')).toBeNull();
  });

  test('without Redis each process counts its own places', async () => {
    const own = await openSlots(places, 'redis://127.0.0.1:1');
    const taken = await Promise.all(Array.from({ length: max + 2 }, () => own.take('d')));
    expect(taken.filter((leave) => leave !== null)).toHaveLength(max);
  });
});
