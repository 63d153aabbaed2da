/** Jobs that Redis has refused and that are published again after a pause. */

const pauseMs = 500;
const keptMax = 20_000;

interface RefusedJob {
  readonly id: string;
  /** In the time of `performance.now()`. */
  readonly giveUpAt: number;
}

export interface RefusedJobs<Job> {
  /** Publishes the jobs again after the pause, except those that were refused for too long. */
  keep(jobs: readonly Job[]): void;
  /** Publishes now what it has kept. */
  release(): void;
}

export function createRefusedJobs<Job extends RefusedJob>(
  publish: (jobs: readonly Job[]) => void,
): RefusedJobs<Job> {
  // By id, since the outbox relay may publish a job again in the meantime.
  const kept = new Map<string, Job>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function release(): void {
    clearTimeout(timer);
    timer = undefined;
    const jobs = [...kept.values()];
    kept.clear();
    if (jobs.length > 0) publish(jobs);
  }

  return {
    keep: (jobs) => {
      const now = performance.now();
      for (const job of jobs) {
        if (now < job.giveUpAt && kept.size < keptMax) kept.set(job.id, job);
      }
      if (kept.size > 0) timer ??= setTimeout(release, pauseMs).unref();
    },
    release,
  };
}
