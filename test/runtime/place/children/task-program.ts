/** A program for a `WorkPlace`: it works, grows, fails or ends as its tasks say. */
import { setPriority } from 'node:os';
import { serveTasks } from '#runtime/place/serve-tasks.ts';

export type TestTask =
  | 'pid'
  | 'environment'
  | 'loop'
  /** Loops in a new process. In one that has done a task, it ends at once. */
  | 'loop if first'
  | 'grow'
  | 'fail'
  | 'exit'
  /** Of processor time. */
  | { readonly busyMs: number }
  /** Of processor time that the program says it took. */
  | { readonly countedMs: number }
  | { readonly sleepMs: number }
  | { readonly text: string };

const measured = process.cpuUsage.bind(process);
let countedMs = 0;
let isFirst = true;

process.cpuUsage = () => {
  const { user, system } = measured();
  return { user: user + countedMs * 1_000, system };
};

function busyMs(): number {
  const { user, system } = measured();
  return (user + system) / 1_000;
}

function perform(task: TestTask): unknown {
  const wasFirst = isFirst;
  isFirst = false;
  switch (task) {
    case 'pid':
      return process.pid;
    case 'environment':
      return Object.keys(process.env);
    case 'loop':
    case 'loop if first':
      if (task === 'loop if first' && !wasFirst) return process.pid;
      for (;;);
    case 'grow':
      for (const kept: object[] = []; ; kept.push({ at: kept.length, of: [kept.length] }));
    case 'fail':
      throw new Error('It failed.');
    case 'exit':
      return process.exit(3);
    default: {
      if ('text' in task) return task.text.length;
      if ('sleepMs' in task) return Bun.sleep(task.sleepMs).then(() => process.pid);
      if ('countedMs' in task) return (countedMs += task.countedMs);
      const until = busyMs() + task.busyMs;
      while (busyMs() < until);
      return task.busyMs;
    }
  }
}

try {
  // The turns are tested, which must come on a busy machine too.
  setPriority(0);
} catch {
  // Not allowed.
}
serveTasks((task: TestTask) => Promise.resolve(() => perform(task)));
