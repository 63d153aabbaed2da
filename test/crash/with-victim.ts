/** Work that goes on while a process of the hub dies at planned points. */
import { expect } from 'bun:test';
import { Redis } from 'ioredis';
import type { Database } from '#db/database.ts';
import type { HubProcessOptions } from '#test/harness/hub-process.ts';
import { changeRows } from '#test/harness/rows.ts';
import type { Death } from './crash-plan.ts';
import { runVictim } from './victim.ts';

export interface VictimWork {
  readonly process: HubProcessOptions;
  readonly deaths: readonly Death[];
  readonly work: () => Promise<void>;
  readonly afterDeath?: () => Promise<void>;
}

/** Some points are passed only at the end of a run, which takes long beside other tests. */
const timing = { afterMs: 0, reachMs: 60_000, lifeMs: 80_000 };

/** Runs `work` while a process dies at each of the points and is started again. */
export async function withVictim({ process, deaths, work, afterDeath }: VictimWork): Promise<void> {
  let killed = 0;
  let cleared: Promise<void> = Promise.resolve();
  const victim = runVictim({
    process,
    deaths: deaths.values(),
    mayDie: () => true,
    onDeath: (point, wasReached) => {
      killed += 1;
      expect([point, wasReached]).toEqual([point, true]);
      cleared = afterDeath?.() ?? cleared;
    },
    timing,
  });
  try {
    await work();
    await (await victim).end();
    await cleared;
    expect(killed).toBe(deaths.length);
  } finally {
    await victim.then((survivor) => survivor.end()).catch(() => undefined);
  }
}

/**
 * Frees the run of a dead worker at once: its claim expires, and Redis loses its locks with everything else, so the
 * sweeper announces the run again.
 */
export async function releaseDead(db: Database, redisUrl: string, runId: string): Promise<void> {
  await changeRows({ db }, 'runs', { id: runId }, { leaseUntil: new Date() });
  const redis = new Redis(redisUrl);
  await redis.flushall();
  redis.disconnect();
}
