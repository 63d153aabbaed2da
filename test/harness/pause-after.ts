import { Snooze } from '#runtime/jobs/job-worker.ts';

/** The pause before the next attempt; null when the work has ended. */
export async function pauseAfter(attempt: Promise<unknown>): Promise<number | null> {
  try {
    await attempt;
    return null;
  } catch (error) {
    if (error instanceof Snooze) return error.delayMs;
    throw error;
  }
}
