/** What befalls the hub in the chaos test: workers that die, workers that are stopped and go on later, an emptied Redis. */
import type { Redis } from '#runtime/redis/redis.ts';
import type { HubProcessStores } from '#test/harness/hub-process.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';
import type { Random } from '#domain/eval-suite/random.ts';

export interface TroubleOptions {
  readonly random: Random;
  readonly stores: HubProcessStores;
  readonly redis: Redis;
  readonly isOver: () => boolean;
}

export type TroubleCounts = Record<'killed' | 'stopped' | 'flushed', number>;

const workerCount = 2;
/** Past the 3 seconds that a worker's lock on its wake lasts. */
const stoppedMs = { least: 3_500, most: 5_000 };
const pauseMs = { least: 100, most: 900 };

export interface Trouble {
  /** Makes trouble until it is over, and leaves workers that run. */
  run(): Promise<TroubleCounts>;
  end(): Promise<void>;
}

export async function createTrouble({ random, stores, redis, isOver }: TroubleOptions): Promise<Trouble> {
  const startWorker = (): Promise<WorkerProcess> => startWorkerProcess(['seats'], stores);
  const workers = await Promise.all(Array.from({ length: workerCount }, startWorker));
  const counts: TroubleCounts = { killed: 0, stopped: 0, flushed: 0 };

  async function kill(): Promise<void> {
    const place = random.int(0, workerCount - 1);
    const replacement = startWorker();
    counts.killed += 1;
    await workers[place]!.end('SIGKILL');
    workers[place] = await replacement;
  }

  async function stopForAWhile(): Promise<void> {
    const worker = workers[random.int(0, workerCount - 1)]!;
    counts.stopped += 1;
    worker.signal('SIGSTOP');
    await Bun.sleep(random.int(stoppedMs.least, stoppedMs.most));
    worker.signal('SIGCONT');
  }

  return {
    run: async () => {
      while (!isOver()) {
        const roll = random.int(1, 10);
        if (roll <= 3) await kill();
        else if (roll <= 7) await stopForAWhile();
        else {
          counts.flushed += 1;
          await redis.flushall();
        }
        await Bun.sleep(random.int(pauseMs.least, pauseMs.most));
      }
      return counts;
    },
    end: async () => {
      await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
    },
  };
}
