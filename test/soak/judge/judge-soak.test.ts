/**
 * The rules of the soak accept a hub whose numbers vary without growth, and reject growth of any single
 * number.
 */
import { describe, expect, test } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import type { SoakSample } from '../measure/soak-sample.ts';
import { growthOf, judgeGrowth, median } from './growth.ts';
import { judgeExcuses, judgeGrowthOf, judgeLoad, judgeRest } from './judge-soak.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const everyMs = minuteMs / 2;

/** An hour of samples, two a minute, that vary without growth. `bend` changes each sample. */
function hourOf(bend: (sample: Mutable<SoakSample>, minute: number) => void = () => {}): SoakSample[] {
  const random = createRandom('00000000000000000000000000000000', 'soak');
  const tremble = (level: number, by: number): number => level + random.int(-by * 100, by * 100) / 100;
  return Array.from({ length: 120 }, (_, index) => {
    const atMs = (index + 1) * everyMs;
    const sample: Mutable<SoakSample> = {
      atMs,
      // The heap grows until it is collected.
      processes: {
        api: {
          rssMb: tremble(180, 8),
          pssMb: 150,
          heapMb: 40 + ((index * 7) % 20),
          files: Math.round(tremble(60, 10)),
        },
      },
      queues: {
        mail: {
          waiting: random.int(0, 9),
          active: random.int(0, 4),
          delayed: random.int(0, 3),
          failed: 0,
          open: 9,
        },
      },
      mailboxes: random.int(0, 3),
      redis: {
        memoryMb: tremble(8, 1),
        eventLogsMb: 2,
        keys: Math.round(tremble(300, 30)),
        keysByKind: {},
        connections: 40,
      },
      // The size of the store may grow.
      store: { sizeMb: index, logMb: tremble(4, 1), connections: Math.round(tremble(30, 2)) },
      responses: { count: 1_200, p50Ms: 2, p99Ms: 20, byStatus: {} },
      inFlight: 3,
      machineLoad: 1,
    };
    bend(sample, atMs / minuteMs);
    return sample;
  });
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] };

const failing = (samples: readonly SoakSample[]): string[] =>
  judgeGrowthOf(samples).flatMap(({ name, holds }) => (holds === false ? name : []));

test('an hour of variation without growth passes every rule', () => {
  const verdicts = judgeGrowthOf(hourOf());
  expect(verdicts.map(({ name, holds }) => [name, holds])).toEqual(verdicts.map(({ name }) => [name, true]));
  expect(verdicts.length).toBeGreaterThan(10);
});

test('the warm-up is not judged', () => {
  const warmingUp = hourOf((sample, minute) => {
    sample.processes['api']!.rssMb += Math.min(minute, 25) * 10;
  });
  expect(failing(warmingUp)).toEqual([]);
});

describe('fails with growth of', () => {
  const growths: readonly [string, (sample: Mutable<SoakSample>, minute: number) => void][] = [
    ['memory of api', ({ processes }, minute) => (processes['api']!.rssMb += minute * 0.8)],
    ['heap of api', ({ processes }, minute) => (processes['api']!.heapMb! += minute * 0.4)],
    ['files of api', ({ processes }, minute) => (processes['api']!.files += Math.floor(minute / 2))],
    ['memory in Redis', ({ redis }, minute) => (redis.memoryMb += minute * 0.1)],
    ['keys in Redis', ({ redis }, minute) => (redis.keys += minute * 5)],
    ['connections to Redis', ({ redis }, minute) => (redis.connections += Math.floor(minute / 4))],
    ['connections to the store', ({ store }, minute) => (store.connections += Math.floor(minute / 3))],
    ['log of the store', ({ store }, minute) => (store.logMb += minute / 2)],
    ['queue mail', ({ queues }, minute) => (queues['mail']!.waiting += minute)],
    ['queue mail', ({ queues }, minute) => (queues['mail']!.delayed += minute)],
    ['queue mail', ({ queues }, minute) => (queues['mail']!.failed += minute)],
    ['open jobs of mail', ({ queues }, minute) => (queues['mail']!.open += minute)],
    ['mailboxes', (sample, minute) => (sample.mailboxes += minute)],
  ];
  test.each(growths)('%s', (name, bend) => {
    expect(failing(hourOf(bend))).toEqual([name]);
  });
});

test('the event logs of the queues are excluded from the memory of Redis, because their length is limited', () => {
  const logging = hourOf(({ redis }, minute) => {
    redis.eventLogsMb += minute / 10;
    redis.memoryMb += minute / 10;
  });
  expect(failing(logging)).toEqual([]);
});

test('a short run gives no verdicts', () => {
  const verdicts = judgeGrowthOf(hourOf().slice(0, 7));
  expect(verdicts.filter(({ holds }) => holds !== null)).toEqual([]);
});

describe('a line', () => {
  const series = (values: readonly number[]) =>
    values.map((value, index) => ({ at: index * everyMs, value }));

  test('follows the minima, whatever the peaks', () => {
    const sawtooth = Array.from({ length: 64 }, (_, index) => 100 + (index % 8) * index);
    expect(growthOf(series(sawtooth))!.grownBy).toBe(0);
  });

  test('rises with a steady growth, unaffected by two outliers', () => {
    const values = Array.from({ length: 64 }, (_, index) => 100 + index / 4);
    const bent = values.map((value, index) => (index >= 16 && index < 24 ? value + 500 : value));
    expect(growthOf(series(values))!.grownBy).toBeCloseTo(63 / 4, 5);
    expect(growthOf(series(bent))!.grownBy).toBeCloseTo(63 / 4, 0);
  });

  test('needs enough points', () => {
    expect(growthOf(series([1, 2, 3, 4, 5]))).toBeNull();
    expect(judgeGrowth(series([]), { share: 1, per: 1, step: 1 })).toBeNull();
  });

  test('may rise by a share of its level per hour, plus a step', () => {
    const rising = series(Array.from({ length: 121 }, (_, index) => 1_000 + index));
    expect(judgeGrowth(rising, { share: 0.05, per: hourMs, step: 0 })!.isFlat).toBe(false);
    expect(judgeGrowth(rising, { share: 0.05, per: hourMs, step: 70 })!.isFlat).toBe(true);
    expect(judgeGrowth(rising, { share: 0.12, per: hourMs, step: 0 })!.isFlat).toBe(true);
  });

  test.each([
    [[], 0],
    [[3], 3],
    [[4, 1, 3], 3],
    [[4, 1, 3, 2], 2.5],
  ])('%p has the median %p', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

describe('at rest', () => {
  const empty = { waiting: 0, active: 0, delayed: 0, failed: 0, open: 0 };
  const holds = (queue: Partial<typeof empty>, mailboxes = 0) =>
    judgeRest({ queues: { mail: { ...empty, ...queue } }, mailboxes }).every(
      (verdict) => verdict.holds === true,
    );

  test('no job is left in any state', () => {
    expect(holds({})).toBe(true);
    for (const state of Object.keys(empty)) expect([state, holds({ [state]: 1 })]).toEqual([state, false]);
    expect(holds({}, 1)).toBe(false);
  });
});

test('a hub that could not keep up with the load fails', () => {
  const [short, long] = [6_000, 3_600_000];
  expect(judgeLoad(960, 1_000, long).holds).toBe(true);
  expect(judgeLoad(900, 1_000, long).holds).toBe(false);
  expect(judgeLoad(850, 1_000, short).holds).toBe(true);
  expect(judgeLoad(750, 1_000, short).holds).toBe(false);
});

test('more than one temporary refusal in a thousand responses fails; few responses give no verdict', () => {
  expect(judgeExcuses(5, 5_000).holds).toBe(true);
  expect(judgeExcuses(6, 5_000).holds).toBe(false);
  expect(judgeExcuses(6, 500).holds).toBeNull();
});
