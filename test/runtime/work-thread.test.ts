/** Work that would block the event loop runs in a thread: bounded, in turns, and under a time limit. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { TaskTooLongError, ThreadBusyError, WorkThread } from '#runtime/work-thread.ts';
import type { ThreadTask } from './children/thread-program.ts';

const running: { close(): void }[] = [];
afterEach(() => {
  for (const thread of running.splice(0)) thread.close();
});

function startThread({ taskMs = 10_000, ofAgent = 100, all = 1_000 } = {}): WorkThread<ThreadTask, unknown> {
  const program = join(import.meta.dir, 'children', 'thread-program.ts');
  const thread = new WorkThread<ThreadTask, unknown>({
    program,
    data: 'given',
    taskMs,
    waitingMax: { ofAgent, all },
  });
  running.push(thread);
  return thread;
}

const failureOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => null,
    (error: unknown) => error,
  );

test('a task returns its result or its error, and the event loop continues meanwhile', async () => {
  const thread = startThread();
  expect(await thread.run('ana', 'data')).toBe('given');
  expect(await failureOf(thread.run('ana', 'fail'))).toMatchObject({
    message: expect.stringContaining('It failed.'),
  });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  expect(await thread.run('ana', { busyMs: 300 })).toBe(300);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

test('a task that takes too long is given up after a second attempt, and others run before and after', async () => {
  const thread = startThread({ taskMs: 300 });
  await thread.run('ana', 'data');
  const ends: string[] = [];
  const endless = thread.run('ana', 'loop').catch((error: unknown) => {
    ends.push('loop');
    return error;
  });
  const other = thread.run('bel', { busyMs: 1 }).then(() => ends.push('other'));
  expect(await endless).toBeInstanceOf(TaskTooLongError);
  await other;
  expect(ends).toEqual(['other', 'loop']);
  expect(await thread.run('ana', { busyMs: 1 })).toBe(1);
});

test('an agent with many slow tasks delays another one by one of them', async () => {
  const thread = startThread();
  await thread.run('cyd', 'data');
  const ends: string[] = [];
  const run = (agent: string) => thread.run(agent, { busyMs: 40 }).then(() => ends.push(agent));
  const many = Array.from({ length: 10 }, () => run('ana'));
  // The first task of the other agent has begun, so the agents are equal from here on.
  await many[0];
  await Promise.all([run('bel'), run('bel'), ...many]);
  expect(ends.slice(0, 2)).toEqual(['ana', 'ana']);
  expect(ends.indexOf('bel')).toBeLessThanOrEqual(3);
  // One more than in turn: a task that a busy machine slows down counts for more time.
  expect(ends.lastIndexOf('bel')).toBeLessThanOrEqual(6);
});

test('the line is bounded for each agent and for all', async () => {
  const thread = startThread({ ofAgent: 3, all: 5 });
  await thread.run('ana', 'data');
  await Bun.sleep(1);
  const all = ['ana', 'ana', 'ana', 'ana', 'ana', 'bel', 'bel', 'cyd', 'dan'].map((agent) =>
    thread.run(agent, { busyMs: 20 }).then(
      () => 'done',
      (error: unknown) => (error instanceof ThreadBusyError ? 'busy' : error),
    ),
  );
  // The first runs at once and does not wait.
  expect(await Promise.all(all)).toEqual([
    'done',
    'done',
    'done',
    'done',
    'busy',
    'done',
    'done',
    'busy',
    'busy',
  ]);
  expect(await thread.run('ana', { busyMs: 1 })).toBe(1);
});

test('a thread that ends fails its task, and the next task gets a new one', async () => {
  const thread = startThread();
  expect(await failureOf(thread.run('ana', 'exit'))).toMatchObject({ message: 'The thread has ended.' });
  expect(await thread.run('ana', 'data')).toBe('given');
});

test('closing rejects what waits', async () => {
  const thread = startThread();
  await thread.run('ana', 'data');
  const first = failureOf(thread.run('ana', { busyMs: 20 }));
  const second = failureOf(thread.run('ana', { busyMs: 20 }));
  thread.close();
  expect(await second).toBeInstanceOf(ThreadBusyError);
  await first;
  expect(await failureOf(thread.run('ana', 'data'))).toBeInstanceOf(ThreadBusyError);
});
