/** One destination gets at most ten calls in any second, over all processes, and waiting callers take turns. */
import { afterAll, expect, test } from 'bun:test';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { bytesPerSecondMax, callsPerSecondMax, Destinations } from '#runtime/turns/destinations.ts';
import { createTurns, type Turn } from '#workers/webhooks/turns.ts';

const someone = { agentId: 'agent', network: 'network' };
const connections: Redis[] = [];

afterAll(() => {
  for (const redis of connections) redis.disconnect();
});
const server = useTestRedis();

async function open(): Promise<Destinations> {
  const redis = connectProducer(server.url, logger);
  await isReadyWithin(redis, 20_000);
  connections.push(redis);
  return new Destinations(redis, logger);
}

function mostInASecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

test('two processes together call an address ten times a second under any name, a name at any address, and an IPv6 /64', async () => {
  const processes = await Promise.all([open(), open()]);
  const byAddress: number[] = [];
  const byName: number[] = [];
  const byNetwork: number[] = [];
  const call = async (index: number, host: string, ip: string, times: number[]) => {
    const end = await processes[index % 2]!.enter({ host, ip, bytes: 100 }, someone, undefined);
    times.push(performance.now());
    end();
  };
  await Promise.all([
    ...Array.from({ length: 25 }, (_, index) => call(index, `${index}.example`, '192.0.2.1', byAddress)),
    ...Array.from({ length: 25 }, (_, index) => call(index, 'name.example', `192.0.2.1${index}`, byName)),
    ...Array.from({ length: 25 }, (_, index) =>
      call(index, `six-${index}.example`, `2001:db8::${index}:1`, byNetwork),
    ),
  ]);
  for (const times of [byAddress, byName, byNetwork]) {
    expect(times).toHaveLength(25);
    expect(mostInASecond(times)).toBeLessThanOrEqual(callsPerSecondMax);
    // A busy machine makes a few of the calls later.
    expect(mostInASecond(times)).toBeGreaterThan(callsPerSecondMax / 2);
  }
});

test('a destination gets a megabyte a second, and one larger request takes as many seconds as it is large', async () => {
  const processes = await Promise.all([open(), open()]);
  const admitted: { readonly at: number; readonly bytes: number }[] = [];
  const call = async (index: number, bytes: number) => {
    const destination = { host: 'large.example', ip: '192.0.2.77', bytes };
    (await processes[index % 2]!.enter(destination, someone, undefined))();
    admitted.push({ at: performance.now(), bytes });
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => call(index, 300_000)));
  for (const { at: from } of admitted) {
    const inSecond = admitted.filter(({ at }) => at >= from && at < from + 1_000);
    expect(inSecond.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(bytesPerSecondMax);
  }
  await call(0, 2.5 * bytesPerSecondMax);
  const before = performance.now();
  await call(1, 100);
  expect(performance.now() - before).toBeGreaterThan(2_500);
});

test('an agent with one call overtakes one with many, and a caller that gives up does not count', async () => {
  const destinations = await open();
  const destination = { host: 'busy.example', ip: '192.0.2.9', bytes: 100 };
  const order: string[] = [];
  const many = Array.from({ length: 2 * callsPerSecondMax + 5 }, async () => {
    const end = await destinations.enter(destination, someone, undefined);
    order.push('many');
    return end;
  });
  const gone = destinations.enter(destination, someone, AbortSignal.timeout(20));
  await expect(gone).rejects.toThrow();
  await waitUntil(() => Promise.resolve(order.length >= callsPerSecondMax));
  const end = await destinations.enter(destination, { agentId: 'other', network: 'other' }, undefined);
  order.push('one');
  expect(order.length).toBeLessThanOrEqual(2 * callsPerSecondMax);
  end();
  for (const one of await Promise.all(many)) one();
});

test('while Redis is down, no destination is called', async () => {
  const redis = connectProducer('redis://127.0.0.1:1', logger);
  const destinations = new Destinations(redis, logger);
  const destination = { host: 'x.example', ip: '192.0.2.2', bytes: 100 };
  await expect(destinations.enter(destination, someone, AbortSignal.timeout(600))).rejects.toThrow();
  redis.disconnect();
});

test('callers that arrive one right after the other are all admitted', async () => {
  const destinations = await open();
  for (let pair = 0; pair < 5; pair += 1) {
    const destination = { host: 'next.example', ip: '192.0.2.33', bytes: 100 };
    const [first, second] = [
      destinations.enter(destination, someone, AbortSignal.timeout(5_000)),
      Promise.resolve().then(() => destinations.enter(destination, someone, AbortSignal.timeout(5_000))),
    ];
    for (const end of await Promise.all([first, second])) end();
  }
});

/** Turns: a limit per name; callers over the limit come back one after the other. */
function leaveOf(turn: Turn): () => void {
  if (!turn.admitted) throw new Error(`not admitted, back in ${turn.retryAfterMs} ms`);
  return turn.leave;
}

const agent = { name: 'agent', max: 3 };
const host = { name: 'host', max: 2 };
/** Enters under a name of its own. */
const enterAlone = (turns: ReturnType<typeof createTurns>, agentId: string) =>
  turns.enter({ agentId, network: agentId }, [{ name: agentId, max: 4 }]);
/** Enters at a host with one place. @returns the pause; 0 if there was room */
function pauseAtHost(turns: ReturnType<typeof createTurns>): number {
  const turn = turns.enter(someone, [{ name: 'host', max: 1 }]);
  return turn.admitted ? 0 : turn.retryAfterMs;
}

test('a name admits no more than its limit, and a place that is left is free again', () => {
  const turns = createTurns(100, () => 0);
  const first = leaveOf(turns.enter(someone, [agent, host]));
  leaveOf(turns.enter(someone, [agent, host]));
  expect(turns.enter(someone, [agent, host]).admitted).toBe(false);
  const elsewhere = { name: 'another host', max: 2 };
  leaveOf(turns.enter(someone, [agent, elsewhere]));
  expect(turns.enter(someone, [agent, { name: 'a third host', max: 2 }]).admitted).toBe(false);
  expect(turns.enter(someone, [{ name: 'another agent', max: 3 }, elsewhere]).admitted).toBe(true);
  first();
  expect(turns.enter(someone, [agent, host]).admitted).toBe(true);
  expect(turns.enter(someone, [agent, host]).admitted).toBe(false);
});

test('callers over the limit get one time after the other, up to a minute', () => {
  const turns = createTurns(100, () => 1_000);
  expect(pauseAtHost(turns)).toBe(0);
  const pauses = Array.from({ length: 10_000 }, () => pauseAtHost(turns));
  expect(pauses.slice(0, 3)).toEqual([100, 110, 120]);
  expect(pauses.at(-1)).toBe(60_000);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
});

test('an agent with many deliveries to a quick receiver may use the reserved places, and one with a slow receiver not', () => {
  let now = 0;
  const turns = createTurns(8, () => now);
  const deliver = (agentId: string, times: number, tookMs: number): void => {
    for (let time = 0; time < times; time += 1) {
      const leave = leaveOf(enterAlone(turns, agentId));
      now += tookMs;
      leave();
    }
  };
  deliver('quick', 100, 150);
  deliver('slow', 2, 10_000);
  for (let index = 0; index < 6; index += 1) leaveOf(enterAlone(turns, `hanging ${index}`));
  now += 10_000;
  const admitted = ['hanging 1', 'slow', 'quick'].map((agentId) => enterAlone(turns, agentId).admitted);
  expect(admitted).toEqual([false, false, true]);
});

test('callers in a line that has been full for long retry less often', () => {
  let now = 0;
  const turns = createTurns(4, () => now);
  const leave = leaveOf(turns.enter(someone, [{ name: 'host', max: 1 }]));
  const pauseAt = (at: number): number => {
    now = at;
    return pauseAtHost(turns);
  };
  expect([pauseAt(0), pauseAt(1_000), pauseAt(9_000)]).toEqual([100, 1_000, 5_000]);
  leave();
  expect(pauseAt(20_000)).toBe(0);
});
