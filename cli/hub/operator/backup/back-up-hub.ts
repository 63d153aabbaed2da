/** Makes a backup of a hub on SQLite. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeBackup } from '#db/backup/write-backup.ts';
import { explainOpenFailure } from '#db/explain-open-failure.ts';
import { secretKeyFile } from '#runtime/settings/load-secret-key.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { HubRefusal } from '../../../client/hub-client.ts';

export interface BackUpHubInput {
  readonly settings: Settings;
  readonly store: string;
  readonly file: string;
  readonly version: string;
}

export interface MadeBackup {
  readonly bytes: number;
  readonly madeAt: Date;
  readonly secretKey: 'included' | 'kept elsewhere';
}

/** @throws StartError without a database; HubRefusal when `file` is empty or there already */
export function backUpHub({ settings, store, file, version }: BackUpHubInput): MadeBackup {
  if (file === '') throw new HubRefusal('The name of the file is empty: name a file that does not exist.');
  if (!existsSync(store)) {
    throw new StartError(
      `There is no database at ${store}. Set DATA_DIR or DATABASE_URL to those of the hub.`,
      {
        isSetting: true,
      },
    );
  }
  const secretKey = readSecretKey(settings);
  const madeAt = new Date();
  try {
    const bytes = writeBackup(store, file, { madeAt, version, secretKey });
    return { bytes, madeAt, secretKey: secretKey === null ? 'kept elsewhere' : 'included' };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new HubRefusal(`${file} is there already and is left as it is: name a file that does not exist.`);
    }
    if (error instanceof Error && 'syscall' in error) throw error;
    throw explainOpenFailure({ kind: 'sqlite', file: store }, error) ?? error;
  }
}

/** The one that the hub has made for itself; null where the operator has set one. */
function readSecretKey({ secretKey, dataDir }: Settings): string | null {
  const file = join(dataDir, secretKeyFile);
  return secretKey === null && existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
