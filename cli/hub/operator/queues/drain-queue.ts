/** Waits until the workers of a paused queue have no running jobs. */
import type { Queue } from 'bullmq';
import type { Output } from '../../output.ts';

const lookEveryMs = 250;

/** @param until deadline by `performance.now()`; returns then even if jobs are still running */
export async function drainQueue(queue: Queue, until: number, output: Output): Promise<void> {
  const first = await queue.getActiveCount();
  for (let active = first; active > 0 && performance.now() < until; active = await queue.getActiveCount()) {
    output.progress(Math.max(0, first - active), first);
    await Bun.sleep(lookEveryMs);
  }
}
