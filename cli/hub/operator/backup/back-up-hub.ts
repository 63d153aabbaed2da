/** Backs up a hub on SQLite. */
import { existsSync } from 'node:fs';
import packageJson from '../../../../package.json' with { type: 'json' };
import { writeBackup } from '#db/backup/write-backup.ts';
import { explainOpenFailure } from '#db/explain-open-failure.ts';
import { readGeneratedKey } from '#runtime/settings/load-secret-key.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { HubRefusal } from '../../../client/hub-refusal.ts';

interface MadeBackup {
  readonly bytes: number;
  readonly madeAt: Date;
  readonly secretKey: 'included' | 'kept elsewhere';
}

/** @throws StartError without a database; HubRefusal when `file` is empty or exists */
export function backUpHub(settings: Settings, store: string, file: string): MadeBackup {
  if (file === '') throw new HubRefusal('The file name is empty. Name a file that does not exist yet.');
  if (!existsSync(store)) {
    throw new StartError(
      `There is no database at ${store}. Set DATA_DIR or DATABASE_URL to that of the hub.`,
      {
        isSetting: true,
      },
    );
  }
  const secretKey = readGeneratedKey(settings);
  const madeAt = new Date();
  try {
    const bytes = writeBackup(store, file, { madeAt, version: packageJson.version, secretKey });
    return { bytes, madeAt, secretKey: secretKey === null ? 'kept elsewhere' : 'included' };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new HubRefusal(
        `${file} already exists and was not changed. Name a file that does not exist yet.`,
      );
    }
    if (error instanceof Error && 'syscall' in error) throw error;
    throw explainOpenFailure({ kind: 'sqlite', file: store }, error) ?? error;
  }
}
