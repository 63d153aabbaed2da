/** Restores a backup into a scratch database and audits it, to show that it could replace the hub's own. */
import { openDatabase } from '#db/open-database.ts';
import { auditHub, type AuditResult } from '#domain/audit/audit-hub.ts';
import { onScratchCopy } from './scratch-copy.ts';

export interface RehearsedRestore {
  /** Null for a plain copy of a database, which has no date. */
  readonly madeAt: Date | null;
  readonly isOlder: boolean;
  readonly tookMs: number;
  readonly checks: readonly AuditResult[];
}

/** @throws HubRefusal when the file is not a complete backup */
export function rehearseRestore(file: string): Promise<RehearsedRestore> {
  const startedAt = performance.now();
  return onScratchCopy(file, 'cannot be restored', async (scratch, { notes, isOlder }) => {
    const db = await openDatabase({ kind: 'sqlite', file: scratch });
    try {
      const checks = await auditHub({ db });
      const tookMs = Math.round(performance.now() - startedAt);
      return { madeAt: notes?.madeAt ?? null, isOlder, tookMs, checks };
    } finally {
      await db.close();
    }
  });
}
