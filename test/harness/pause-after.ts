import { Snooze } from '#runtime/jobs/job-worker.ts';

/** Milliseconds until the next attempt; null if no further one is needed. @throws any error other than Snooze */
export async function pauseAfter(attempt: Promise<unknown>): Promise<number | null> {
  try {
    await attempt;
    return null;
  } catch (error) {
    if (error instanceof Snooze) return error.delayMs;
    throw error;
  }
}
