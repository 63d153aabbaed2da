/** What a pool is given to run with, and what it gives back. */
import type { Ctx } from '#domain/context.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { Tracing } from '#runtime/tracing/tracing.ts';

export interface PoolDeps {
  readonly ctx: Ctx;
  readonly logger: Logger;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly settings: Settings;
  readonly redisUrl: string;
  /** For short commands; fails at once while Redis is away. */
  readonly redis: Redis;
  readonly concurrency: number;
}

export interface RunningPool {
  /** Takes no more work, ends or hands back what runs, and resolves when nothing is left. */
  drain(): Promise<void>;
}

export type StartPool = (deps: PoolDeps) => Promise<RunningPool>;
