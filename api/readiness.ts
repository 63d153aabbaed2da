import { createReadiness, type Readiness } from '#domain/check-readiness.ts';
import { probeOfRedis } from '#runtime/redis/try-write.ts';
import type { ApiDeps } from './deps.ts';

type Stores = Pick<ApiDeps, 'db' | 'redis'>;

const known = new WeakMap<Stores, Readiness>();

/** One for each process: its ports share the checks. */
export function readinessOf(deps: Stores): Readiness {
  const { db, redis } = deps;
  const readiness = known.get(deps) ?? createReadiness(db, redis === null ? null : probeOfRedis(redis));
  known.set(deps, readiness);
  return readiness;
}
