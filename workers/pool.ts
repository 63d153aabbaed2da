/** What a pool declares about itself, what it is started with, and what it returns. */
import type { Ctx } from '#domain/context.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { RedisPublisher } from '#runtime/jobs/job-publisher.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { Tracing } from '#runtime/tracing/tracing.ts';

/** Settings that only some processes need, and that no other process should hold. */
export const scopedSecrets = [
  'SECRET_KEY',
  'SMTP_URL',
  'INBOX_KEY',
  'INBOUND_MAIL_SECRET',
  'PAYMENTS_WEBHOOK_SECRET',
  'CHECKOUT_ACCESS_TOKEN',
] as const;
export type ScopedSecret = (typeof scopedSecrets)[number];

/** How long a process may take to finish or release its work when it stops. */
export const drainTimeoutMs = 10_000;

/** Help texts and `npm start` follow from it, and tests compare `deploy/` with it. */
export interface Pool {
  /** One line for help texts and documents. */
  readonly about: string;
  /** Jobs that one process handles concurrently, unless `--concurrency` says otherwise. */
  readonly concurrency: number;
  /** The most processes of this pool that `npm start` runs. */
  readonly processesMax?: number;
  /** Whether `npm start` runs the pool, which it does by default. */
  readonly isOn?: (settings: Settings) => boolean;
  /** The secrets that its containers get; all others are left empty there. */
  readonly secrets: readonly ScopedSecret[];
  /** Loads the pool's code, so that a process loads only the pools it runs. */
  load(): Promise<StartPool>;
}

export interface PoolDeps {
  readonly ctx: Ctx;
  readonly logger: Logger;
  /** Null when tracing is off. */
  readonly tracing: Tracing | null;
  readonly settings: Settings;
  readonly redisUrl: string;
  /** The one of `ctx`. */
  readonly publisher: RedisPublisher;
  /** For short commands; fails immediately while Redis is unavailable. */
  readonly redis: Redis;
  readonly concurrency: number;
}

export interface RunningPool {
  /** Takes no more work, finishes or releases what is running, and resolves when nothing is left. */
  drain(): Promise<void>;
}

export type StartPool = (deps: PoolDeps) => Promise<RunningPool>;
