/** Works on a copy of a backup, which may be changed. */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BackupError, type CheckedBackup, settleBackup } from '#db/backup/settle-backup.ts';
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
  try {
    const scratch = join(folder, 'hub.sqlite');
    copyFileSync(file, scratch);
    chmodSync(scratch, ownerOnly);
    return await work(scratch, settleBackup(scratch));
  } catch (error) {
    if (error instanceof BackupError) throw new HubRefusal(`${file} ${refusal}. ${error.message}`);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
