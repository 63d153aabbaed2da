import { startPrivateRedis } from '#runtime/redis/private-redis.ts';

/** Something the supervisor keeps running: a process of the hub, or its private Redis. */

export interface Service {
  /** The name in the log. */
  readonly name: string;
  /** Starts it once. @throws StartError when another start would fail the same way */
  start(): Promise<RunningService>;
}

export interface RunningService {
  /**
   * Resolves when it is ready. Rejects if it ends before that, with an empty `StartError` if it has printed
   * the reason.
   */
  readonly ready: Promise<void>;
  /** Resolves when it has ended for any reason, with a description such as `exit code 1`. */
  readonly ended: Promise<string>;
  /** Stops it in order, or by force after its deadline. Resolves when it has ended. */
  stop(): Promise<'in order' | 'by force'>;
  /** Kills it immediately. */
  kill(): void;
}

/**
 * The private Redis as a service of the supervisor.
 * @param onAddress receives the address; a Redis restarted in the same folder has the same address
 */
export function redisService(dir: string, onAddress: (url: string) => void): Service {
  return { name: 'redis', start: () => start(dir, onAddress) };
}

async function start(dir: string, onAddress: (url: string) => void): Promise<RunningService> {
  const redis = await startPrivateRedis({ dir });
  if (redis.setAside !== null) {
    console.error(
      `The files of the private Redis were damaged, and are in ${redis.setAside} now. It starts without them; the open jobs are in the database and are published again.`,
    );
  }
  onAddress(redis.url);
  return {
    ready: Promise.resolve(),
    ended: redis.exited.then(() => 'the end of its process'),
    stop: async () => {
      await redis.stop();
      return 'in order';
    },
    // Redis saves its data and exits when this process is gone, which is about to happen.
    kill: () => {},
  };
}
