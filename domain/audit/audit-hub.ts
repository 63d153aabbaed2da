/**
 * Recomputes stored totals and the invariants of charges from the underlying rows, and reports every
 * difference. It is safe on a running hub: each check is a single statement and so sees one snapshot.
 */
import type { Ctx } from '../context.ts';
import { auditChecks, type Drift } from './audit-checks.ts';

export interface AuditResult {
  readonly name: string;
  /** The guarantee that was checked. */
  readonly promise: string;
  /** At most `driftsMax`. */
  readonly drifts: readonly Drift[];
  readonly tookMs: number;
}

/** Limit per check. The first few rows are enough to find the cause. */
export const driftsMax = 20;

/** Returns one result per check, in order. A consistent hub has no drifts. */
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
