/** Restores a backup, which is a SQLite file, into an empty Postgres database. */
import type { DatabaseSetting } from '#db/database.ts';
import { moveStore } from '#db/move/move-store.ts';
import { MoveRefusal } from '#db/move/move-target.ts';
import { openDatabase } from '#db/open-database.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { HubRefusal } from '../../../client/hub-refusal.ts';
import type { Output } from '../../output.ts';
import { requireSoundCopy, showEstimate } from '../move-progress.ts';
import { type SettledKey, stageSecretKey } from './restore-secret-key.ts';
import { onScratchCopy } from './scratch-copy.ts';

interface RestoreInput {
  readonly settings: Settings;
  readonly database: DatabaseSetting;
  readonly file: string;
  readonly output: Output;
}

interface RestoredRows extends SettledKey {
  /** Null for a plain copy of a database, which has no date. */
  readonly madeAt: Date | null;
  readonly rows: number;
}

/** @throws HubRefusal when the file is not a complete backup, or the database is not empty */
export function restoreIntoPostgres(input: RestoreInput): Promise<RestoredRows> {
  const { settings, database, file, output } = input;
  return onScratchCopy(file, 'was not restored', async (scratch, { notes, isOlder }) => {
    const from = { kind: 'sqlite', file: scratch } as const;
    if (isOlder) await (await openDatabase(from)).close();
    const suffix = `.replaced-${new Date().toISOString().replaceAll(':', '-')}`;
    const key = stageSecretKey(settings, notes?.secretKey ?? null, suffix);
    try {
      const onProgress = showEstimate(output);
      const { rows } = await moveStore({ from, to: database, check: requireSoundCopy, onProgress });
      return { madeAt: notes?.madeAt ?? null, rows, ...key.place() };
    } catch (error) {
      if (!(error instanceof MoveRefusal)) throw error;
      throw new HubRefusal(
        `${file} was not restored. ${error.message} A backup is restored into an empty database: create one, set DATABASE_URL to it and keep the present one.`,
      );
    } finally {
      key.clear();
    }
  });
}
