/** Work of strangers runs where it can take neither time nor memory from anything else, and networks take turns at it. */
import { afterEach, expect, test } from 'bun:test';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '#runtime/process/is-alive.ts';
import { TaskTooLargeError, TaskTooLongError } from '#runtime/place/child-program.ts';
import { PlaceBusyError, WorkPlace } from '#runtime/place/work-place.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { startProgram } from '#test/harness/run-program.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import type { TestTask } from './children/task-program.ts';

const running: { close(): void }[] = [];
afterEach(() => {
  for (const place of running.splice(0)) place.close();
});

type TestPlace = WorkPlace<TestTask, unknown>;

function openPlace({
  ofAgent = 100,
  all = 1_000,
  memoryMb = 300,
  program = 'task-program.ts',
} = {}): TestPlace {
  const command = [join(import.meta.dir, 'children', program)];
  const place = new WorkPlace<TestTask, unknown>({ command, waitingMax: { ofAgent, all }, memoryMb });
  running.push(place);
  return place;
}

const agent = (agentId: string, network = agentId): Claimant => ({ network, agentId });
const [ana, bel] = [agent('ana'), agent('bel')];
const size = { cpuMs: 10_000 };

test('a task returns its result or its error, and the event loop continues meanwhile', async () => {
  const place = openPlace();
  const text = 'long '.repeat(1_000_000);
  expect(await place.run(ana, () => ({ text }), size)).toBe(text.length);
  expect(await failureOf(place.run(ana, () => 'fail', size))).toMatchObject({
    message: expect.stringContaining('It failed.'),
  });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  expect(await place.run(ana, () => ({ busyMs: 300 }), size)).toBe(300);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

test('work knows no setting of the hub', async () => {
  const known = (await openPlace().run(ana, () => 'environment', size)) as string[];
  expect(known.filter((name) => !/^(PATH|HOME|TMPDIR|TZ|NODE_CHANNEL\w*|BUN_\w+)$/.test(name))).toEqual([]);
});

test('a task that takes too long, or too much memory, ends for itself, and others run before and after', async () => {
  const place = openPlace();
  const before = process.memoryUsage.rss();
  for (const [task, error, cpuMs] of [
    ['loop', TaskTooLongError, 400],
    ['grow', TaskTooLargeError, 10_000],
  ] as const) {
    const [failure, other] = await Promise.all([
      failureOf(place.run(ana, () => task, { cpuMs })),
      place.run(bel, () => ({ busyMs: 1 }), size),
    ]);
    expect([task, failure, other]).toEqual([task, expect.any(error), 1]);
    expect(await place.run(bel, () => ({ busyMs: 1 }), size)).toBe(1);
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
});

test('a task whose process ends again and again is turned away, and the next one runs', async () => {
  const place = openPlace();
  expect(await failureOf(place.run(ana, () => 'exit', size))).toBeInstanceOf(PlaceBusyError);
  expect(await place.run(ana, () => ({ busyMs: 1 }), size)).toBe(1);
});

test('quick work does not wait for long work, however many keys of a network send it', async () => {
  const place = openPlace();
  const ended: string[] = [];
  const hogs = Array.from({ length: 9 }, (_, index) => agent(`hog ${index}`, 'hogs'));
  const long = hogs.flatMap((hog) =>
    [1, 2].map(() => failureOf(place.run(hog, () => 'loop', { cpuMs: 1_000 }))),
  );
  for (const one of long) void one.then(() => ended.push('long'));
  // From here on, the hub knows that the work of this network is long.
  await Promise.race(long);
  for (let turn = 0; turn < 20; turn += 1) {
    await place.run(bel, () => ({ busyMs: 1 }), size);
    ended.push('quick');
  }
  expect(ended.filter((one) => one === 'long').length).toBeLessThan(4);
  place.close();
  await Promise.all(long);
});

test('work does not give way, and does not count as long, because its process starts slowly', async () => {
  const place = openPlace({ program: 'slow-start.ts' });
  const all = [agent('first'), ...Array.from({ length: 5 }, (_, index) => agent(`next ${index}`))];
  const pids = await Promise.all(all.map((one) => place.run(one, () => 'pid', size)));
  expect(new Set(pids).size).toBe(1);
  expect(await place.run(agent('first'), () => 'pid', size)).toBe(pids[0]);
});

test.skipIf(process.platform !== 'linux')(
  'work does not give way, and does not count as long, because it waits for the processor',
  async () => {
    const place = openPlace();
    const pid = (await place.run(ana, () => 'pid', size)) as number;
    const all = [1, 2].map(() => place.run(ana, () => ({ sleepMs: 600 }), size));
    all.push(place.run(bel, () => 'pid', size));
    expect(await Promise.all(all)).toEqual([pid, pid, pid]);
    expect(await place.run(ana, () => 'pid', size)).toBe(pid);
  },
);

test('quick work of known agents does not wait for work of new ones', async () => {
  const place = openPlace();
  for (let count = 0; count < 3; count += 1) await place.run(ana, () => ({ countedMs: 60 }), size);
  // It uses no processor time, and so never gives way.
  const endless = ['new', 'newer'].map((name) =>
    failureOf(place.run(agent(name), () => ({ sleepMs: 600_000 }), size)),
  );
  expect(await place.run(ana, () => ({ busyMs: 1 }), size)).toBe(1);
  expect(await place.run(ana, () => ({ busyMs: 1 }), size)).toBe(1);
  place.close();
  await Promise.all(endless);
});

test.skipIf(process.platform !== 'linux')('work has a lower priority than this process', async () => {
  setPriority(getPriority() + 1);
  const place = openPlace({ program: 'plain-program.ts' });
  const pid = (await place.run(ana, () => 'pid', size)) as number;
  expect(getPriority(pid)).toBeGreaterThan(getPriority());
});

test('short work does not make up for long work that comes after it', async () => {
  const place = openPlace();
  for (let count = 0; count < 50; count += 1) await place.run(ana, () => ({ countedMs: 1 }), size);
  for (let count = 0; count < 4; count += 1) await place.run(ana, () => ({ countedMs: 300 }), size);
  const pid = await place.run(bel, () => 'pid', size);
  expect(await place.run(ana, () => 'pid', size)).not.toBe(pid);
});

test('of short work, that of the agent that has sent less comes first', async () => {
  const place = openPlace();
  const many = agent('many');
  for (let count = 0; count < 60; count += 1) await place.run(many, () => ({ countedMs: 40 }), size);
  await place.run(bel, () => 'pid', size);
  const ended: string[] = [];
  const first = place.run(ana, () => 'pid', size);
  const before = ['bel', 'many', 'bel', 'many'].map((name) =>
    place.run(agent(name), () => 'pid', size).then(() => ended.push(name)),
  );
  await Promise.all([first, ...before]);
  expect(ended).toEqual(['bel', 'bel', 'many', 'many']);
});

test('work that is known to be long keeps no quick work waiting, not even once', async () => {
  const place = openPlace();
  await place.run(ana, () => 'pid', size);
  const ended: string[] = [];
  const crowd = Array.from({ length: 20 }, (_, index) => agent(`crowd ${index}`));
  const long = crowd.map((one) =>
    failureOf(place.run(one, () => ({ sleepMs: 600_000 }), { ...size, isLong: true })).then(() =>
      ended.push('long'),
    ),
  );
  for (let turn = 0; turn < 5; turn += 1) {
    await place.run(agent(`new ${turn}`), () => ({ busyMs: 1 }), size);
    ended.push('quick');
  }
  expect(ended).toEqual(Array.from({ length: 5 }, () => 'quick'));
  place.close();
  await Promise.all(long);
});

test('long work ends, and leaves the line, as soon as nobody waits for its result', async () => {
  const place = openPlace();
  const gone = new AbortController();
  const abandoned = [1, 2].map(() =>
    failureOf(
      place.run(ana, () => ({ sleepMs: 600_000 }), { cpuMs: 10_000, isLong: true, signal: gone.signal }),
    ),
  );
  await Bun.sleep(300);
  gone.abort();
  for (const one of abandoned) expect(await one).toBeInstanceOf(PlaceBusyError);
  expect(await place.run(bel, () => ({ busyMs: 1 }), { ...size, isLong: true })).toBe(1);
});

test('long work of those that have used much gives way to long work of those that have used little', async () => {
  const place = openPlace();
  // Long from now on, and more than a slice of time.
  await place.run(ana, () => ({ countedMs: 100_000 }), size);
  await place.run(bel, () => ({ countedMs: 600 }), size);
  const ended: string[] = [];
  await Promise.all([
    place.run(ana, () => 'loop if first', size).then(() => ended.push('ana')),
    place.run(bel, () => 'pid', size).then(() => ended.push('bel')),
  ]);
  expect(ended).toEqual(['bel', 'ana']);
});

test('a full line turns away the network that fills it, not the next one', async () => {
  const place = openPlace({ ofAgent: 3, all: 6 });
  await place.run(agent('warm'), () => 'pid', size);
  const outcome = async (who: Claimant, busyMs: number) => {
    const failure = await failureOf(place.run(who, () => ({ busyMs }), size));
    return failure === null ? 'done' : failure instanceof PlaceBusyError ? 'busy' : failure;
  };
  const first = outcome(agent('first', 'hogs'), 200);
  const hogs = ['a', 'b', 'c'].flatMap((name) => [1, 2, 3].map(() => outcome(agent(name, 'hogs'), 1)));
  const honest = [1, 2, 3].map(() => outcome(bel, 1));
  expect(await Promise.all(honest)).toEqual(['done', 'done', 'done']);
  expect((await Promise.all(hogs)).filter((one) => one === 'done')).toHaveLength(3);
  expect(await first).toBe('done');
  const own = Array.from({ length: 6 }, () => outcome(ana, 20));
  // The first runs at once and does not wait.
  expect(await Promise.all(own)).toEqual(['done', 'done', 'done', 'done', 'busy', 'busy']);
});

test('closing turns away what waits, and ends the processes', async () => {
  const place = openPlace();
  const pid = (await place.run(ana, () => 'pid', size)) as number;
  const all = [1, 2].map(() => failureOf(place.run(ana, () => ({ busyMs: 5_000 }), size)));
  place.close();
  for (const one of all) expect(await one).toBeInstanceOf(PlaceBusyError);
  expect(await failureOf(place.run(ana, () => 'pid', size))).toBeInstanceOf(PlaceBusyError);
  await waitUntil(() => !isAlive(pid));
});

test('work ends with the process that it is for, even one that is killed in the middle of a task', async () => {
  const parent = startProgram([process.execPath, join(import.meta.dir, 'children', 'dying-parent.ts')]);
  const pid = Number((await parent.until(/\d+(?=\n)/))[0]);
  expect(isAlive(pid)).toBe(true);
  parent.child.kill('SIGKILL');
  await waitUntil(() => !isAlive(pid));
});
