/** A program for a `WorkThread`: it counts, sleeps, loops, fails or ends as its tasks say. */
import { workerData } from 'node:worker_threads';
import { serveThread } from '#runtime/work-thread.ts';

export type ThreadTask = 'data' | 'loop' | 'fail' | 'exit' | { readonly busyMs: number };

// The test passes a text.
const data = workerData as string;

serveThread((task: ThreadTask) => {
  switch (task) {
    case 'data':
      return data;
    case 'loop':
      for (;;);
    case 'fail':
      throw new Error('It failed.');
    case 'exit':
      return process.exit(3);
    default: {
      const until = performance.now() + task.busyMs;
      while (performance.now() < until);
      return task.busyMs;
    }
  }
});
