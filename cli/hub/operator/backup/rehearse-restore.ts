/** Restores a backup into a scratch database and audits it, to show that it could replace the hub's own. */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BackupError, settleBackup } from '#db/backup/settle-backup.ts';
import { openDatabase } from '#db/open-database.ts';
import { auditHub, type AuditResult } from '#domain/audit/audit-hub.ts';
import { HubRefusal } from '../../../client/hub-refusal.ts';

export interface RehearsedRestore {
  /** Null for a plain copy of a database, which has no date. */
  readonly madeAt: Date | null;
  readonly isOlder: boolean;
  readonly tookMs: number;
  readonly checks: readonly AuditResult[];
}

const ownerOnly = 0o600;

/** @throws HubRefusal when the file is not a complete backup */
export async function rehearseRestore(file: string): Promise<RehearsedRestore> {
  if (!existsSync(file)) throw new HubRefusal(`${file} does not exist.`);
  const startedAt = performance.now();
  // Beside the backup, because there is room for a file of this size, and only its owner can read it.
  const folder = mkdtempSync(join(dirname(file), '.rehearsal-'));
  try {
    const scratch = join(folder, 'hub.sqlite');
    copyFileSync(file, scratch);
    chmodSync(scratch, ownerOnly);
    const { notes, isOlder } = settleBackup(scratch);
    const db = await openDatabase({ kind: 'sqlite', file: scratch });
    try {
      const checks = await auditHub({ db });
      return {
        madeAt: notes?.madeAt ?? null,
        isOlder,
        tookMs: Math.round(performance.now() - startedAt),
        checks,
      };
    } finally {
      await db.close();
    }
  } catch (error) {
    if (error instanceof BackupError) throw new HubRefusal(`${file} cannot be restored. ${error.message}`);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
