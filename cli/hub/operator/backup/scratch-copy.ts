/** Works on a copy of a backup, which may be changed. */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BackupError, type CheckedBackup, settleBackup } from '#db/backup/settle-backup.ts';
import { interruptedExitCode, signals } from '#runtime/process/shutdown.ts';
import { HubRefusal } from '../../../client/hub-refusal.ts';

const ownerOnly = 0o600;

/**
 * @param refusal follows the name of the file in the refusal of an incomplete backup
 * @throws HubRefusal if there is no such file, or it is not a complete backup
 */
export async function onScratchCopy<Result>(
  file: string,
  refusal: string,
  work: (scratch: string, backup: CheckedBackup) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(file)) throw new HubRefusal(`${file} does not exist.`);
  // Beside the backup, because there is room for a file of this size, and only its owner can read it.
  const folder = mkdtempSync(join(dirname(file), '.restoring-'));
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  const stop = (): never => {
    clear();
    process.exit(interruptedExitCode);
  };
  for (const signal of signals) process.on(signal, stop);
  try {
    const scratch = join(folder, 'hub.sqlite');
    return await work(scratch, copyBackup(file, scratch, refusal));
  } finally {
    for (const signal of signals) process.off(signal, stop);
    clear();
  }
}

/** Files in which SQLite keeps changes that are not yet in the database. */
export const logSuffixes = ['-wal', '-journal'] as const;

/**
 * Copies a backup, or a plain copy of a database with its logs, into one file. The originals are not changed.
 * @throws HubRefusal if it is not a complete backup
 */
export function copyBackup(file: string, copy: string, refusal: string): CheckedBackup {
  for (const suffix of ['', ...logSuffixes]) {
    if (suffix !== '' && !existsSync(file + suffix)) continue;
    copyFileSync(file + suffix, copy + suffix);
    chmodSync(copy + suffix, ownerOnly);
  }
  try {
    return settleBackup(copy);
  } catch (error) {
    if (error instanceof BackupError) throw new HubRefusal(`${file} ${refusal}. ${error.message}`);
    throw error;
  }
}
