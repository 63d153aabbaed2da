/** Puts a backup in the place of the database of a hub that does not run, and keeps what was there. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BackupNotes } from '#db/backup/backup-notes.ts';
import { replaceStore, StoreInUseError } from '#db/backup/replace-store.ts';
import { BackupError, type CheckedBackup, settleBackup } from '#db/backup/settle-backup.ts';
import { lockFolder } from '#runtime/folder-lock.ts';
import { SECRET_KEY_FILE } from '#runtime/load-secret-key.ts';
import type { Settings } from '#runtime/settings.ts';
import { HubRefusal } from '../../../client/hub-client.ts';

export interface RestoreHubInput {
  readonly settings: Settings;
  readonly store: string;
  readonly file: string;
  /** Comes back if the operator agrees to what is about to happen. */
  readonly agree: (consequence: string) => Promise<void>;
}

export interface RestoredHub {
  /** Null for a plain copy of a database, which does not say. */
  readonly madeAt: Date | null;
  /** The files that were replaced, under their new names. */
  readonly kept: readonly string[];
  readonly secretKey: 'restored' | 'already there' | 'from SECRET_KEY' | 'missing';
  readonly isOlder: boolean;
}

const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

/** @throws HubRefusal for a file that is no whole backup, or while a hub runs */
export async function restoreHub(input: RestoreHubInput): Promise<RestoredHub> {
  const { settings, store, file, agree } = input;
  if (!existsSync(file)) throw new HubRefusal(`There is no file ${file}.`);
  return holdingHub(settings, store, async () => {
    mkdirSync(dirname(store), { recursive: true });
    const staged = `${store}.${process.pid}.restoring`;
    try {
      const checked = stage(file, staged);
      if (existsSync(store)) {
        await agree(`${store} is replaced by the hub of ${checked.notes?.madeAt.toISOString() ?? file}.`);
      }
      const suffix = `.replaced-${new Date().toISOString().replaceAll(':', '-')}`;
      const kept = replaceStore(store, staged, store + suffix) ? [store + suffix] : [];
      const key = settleKey(settings, checked.notes, suffix);
      return {
        madeAt: checked.notes?.madeAt ?? null,
        kept: [...kept, ...key.kept],
        secretKey: key.secretKey,
        isOlder: checked.isOlder,
      };
    } catch (error) {
      if (error instanceof StoreInUseError) throw hubRuns(store);
      throw error;
    } finally {
      for (const left of [staged, `${staged}-wal`, `${staged}-shm`, `${staged}-journal`]) {
        rmSync(left, { force: true });
      }
    }
  });
}

/** What `npm start` holds while it runs; a hub with a Redis elsewhere is found by its open database instead. */
async function holdingHub<T>(settings: Settings, store: string, work: () => Promise<T>): Promise<T> {
  if (settings.redisUrl !== null) return work();
  const folder = join(settings.dataDir, 'redis');
  mkdirSync(folder, { recursive: true, mode: ownerOnlyFolder });
  const lock = lockFolder(folder);
  if (lock === null) throw hubRuns(store);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function hubRuns(store: string): HubRefusal {
  return new HubRefusal(`A hub runs on ${store}. Stop all its processes first; nothing was changed.`);
}

/** A copy beside the store, which a rename can put in its place; the backup itself stays as it is. */
function stage(file: string, staged: string): CheckedBackup {
  copyFileSync(file, staged);
  chmodSync(staged, ownerOnly);
  try {
    return settleBackup(staged);
  } catch (error) {
    if (error instanceof BackupError) throw new HubRefusal(`${file} is not restored. ${error.message}`);
    throw error;
  }
}

function settleKey(
  { secretKey, dataDir }: Settings,
  notes: BackupNotes | null,
  suffix: string,
): Pick<RestoredHub, 'kept' | 'secretKey'> {
  if (secretKey !== null) return { secretKey: 'from SECRET_KEY', kept: [] };
  const key = notes?.secretKey ?? null;
  if (key === null) return { secretKey: 'missing', kept: [] };
  const file = join(dataDir, SECRET_KEY_FILE);
  const exists = existsSync(file);
  if (exists && readFileSync(file, 'utf8').trim() === key) return { secretKey: 'already there', kept: [] };
  if (exists) renameSync(file, file + suffix);
  writeFileSync(file, `${key}\n`, { mode: ownerOnly, flag: 'wx' });
  return { secretKey: 'restored', kept: exists ? [file + suffix] : [] };
}
