/**
 * Recomputes what the hub keeps as running totals, and what must be true of every charge, from the rows underneath, and
 * reports each place where the two differ. A live hub may be audited: each check is one statement, and so of one instant.
 */
import type { Ctx } from '../context.ts';
import { auditChecks, type Drift } from './audit-checks.ts';

export interface AuditResult {
  readonly name: string;
  /** What holds when there is no drift, in words. */
  readonly promise: string;
  /** At most `driftsMax`. */
  readonly drifts: readonly Drift[];
  readonly tookMs: number;
}

/** So many are shown for a check; the first few tell what is wrong. */
export const driftsMax = 20;

/** One result for each check, in their order; a hub in order has no drifts in any. */
export async function auditHub({ db }: Pick<Ctx, 'db'>): Promise<readonly AuditResult[]> {
  const results: AuditResult[] = [];
  for (const check of auditChecks) {
    const startedAt = performance.now();
    const drifts = await check.find(db, driftsMax);
    results.push({
      name: check.name,
      promise: check.promise,
      drifts,
      tookMs: Math.round(performance.now() - startedAt),
    });
  }
  return results;
}
