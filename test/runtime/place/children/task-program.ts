/** A program for a `WorkPlace`: it works, grows, fails or ends as its tasks say. */
import { serveTasks } from '#runtime/place/serve-tasks.ts';

export type TestTask =
  | 'pid'
  | 'environment'
  | 'loop'
  | 'grow'
  | 'fail'
  | 'exit'
  | { readonly busyMs: number }
  | { readonly sleepMs: number }
  | { readonly text: string };

function perform(task: TestTask): unknown {
  switch (task) {
    case 'pid':
      return process.pid;
    case 'environment':
      return Object.keys(process.env);
    case 'loop':
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
      const until = performance.now() + task.busyMs;
      while (performance.now() < until);
      return task.busyMs;
    }
  }
}

serveTasks((task: TestTask) => Promise.resolve(() => perform(task)));
