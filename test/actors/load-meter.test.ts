/** A worker asks for help when it uses most of a core, or when an actor found no free slot. */
import { expect, test } from 'bun:test';
import { type CpuReading, createLoadMeter } from '#actors/load-meter.ts';
import { busyFromPercent } from '#actors/limits.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

test('a process is busy when it has used most of a core since the last call, whatever it did before', () => {
  let reading: CpuReading = { usedMs: 5_000, atMs: 1_000 };
  const meter = createLoadMeter(() => reading);
  const use = (percent: number): boolean => {
    reading = { usedMs: reading.usedMs + percent * 10, atMs: reading.atMs + 1_000 };
    return meter.isBusy();
  };
  expect([0, busyFromPercent - 1, busyFromPercent + 1, 200, 10].map(use)).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('a process that had no free slot is busy once', () => {
  const meter = createLoadMeter(() => ({ usedMs: 0, atMs: 0 }));
  meter.noteFull();
  expect([meter.isBusy(), meter.isBusy()]).toEqual([true, false]);
});

test('the CPU time of this process counts', async () => {
  const meter = createLoadMeter();
  await waitUntil(async () => {
    meter.isBusy();
    await Bun.sleep(50);
    return !meter.isBusy();
  });
  // Another process may get the core for part of the time.
  await waitUntil(async () => {
    meter.isBusy();
    const until = performance.now() + 3;
    while (performance.now() < until) Bun.hash('something to do');
    return meter.isBusy();
  });
});
