/** Replaces the database of a stopped hub with a backup, and keeps the old one. */
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceStore, StoreInUseError } from '#db/backup/replace-store.ts';
import { lockFolder } from '#runtime/process/folder-lock.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { HubRefusal } from '../../../client/hub-refusal.ts';
import { type SettledKey, stageSecretKey } from './restore-secret-key.ts';
import { copyBackup, logSuffixes } from './scratch-copy.ts';

interface RestoreHubInput {
  readonly settings: Settings;
  readonly store: string;
  readonly file: string;
  /** Resolves if the operator agrees to what is about to happen. */
  readonly agree: (consequence: string) => Promise<void>;
}

/** With all replaced files, under their new names. */
export interface RestoredHub extends SettledKey {
  /** Null for a plain copy of a database, which has no date. */
  readonly madeAt: Date | null;
  readonly isOlder: boolean;
}

const ownerOnlyFolder = 0o700;

/** @throws HubRefusal when the file is not a complete backup, or a hub is running */
export async function restoreHub(input: RestoreHubInput): Promise<RestoredHub> {
  if (!existsSync(input.file)) throw new HubRefusal(`${input.file} does not exist.`);
  return holdingHub(input.settings, input.store, async () => {
    mkdirSync(dirname(input.store), { recursive: true, mode: ownerOnlyFolder });
    const place = existsSync(input.store) ? realpathSync(input.store) : input.store;
    const staged = `${place}.${process.pid}.restoring`;
    try {
      return await restoreTo(place, staged, input);
    } finally {
      for (const suffix of ['', ...logSuffixes, '-shm']) rmSync(staged + suffix, { force: true });
    }
  });
}

async function restoreTo(
  place: string,
  staged: string,
  { settings, store, file, agree }: RestoreHubInput,
): Promise<RestoredHub> {
  // Next to the store, so that a rename can replace it.
  const { notes, isOlder } = copyBackup(file, staged, 'was not restored');
  if (existsSync(place)) {
    await agree(`${store} will be replaced by the backup of ${notes?.madeAt.toISOString() ?? file}.`);
  }
  const suffix = `.replaced-${new Date().toISOString().replaceAll(':', '-')}`;
  const key = stageSecretKey(settings, notes?.secretKey ?? null, suffix);
  try {
    const aside = place + suffix;
    const existed = replaceStore({ store, place, copy: staged, aside });
    const { kept, secretKey } = key.place();
    return {
      madeAt: notes?.madeAt ?? null,
      kept: [...(existed ? [aside] : []), ...kept],
      secretKey,
      isOlder,
    };
  } catch (error) {
    if (error instanceof StoreInUseError) throw hubRuns(store);
    throw error;
  } finally {
    key.clear();
  }
}

/**
 * Takes the lock that `npm start` holds. A hub with an external Redis is detected by its open database
 * instead.
 */
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
  return new HubRefusal(`A hub is running on ${store}. Stop all its processes first. Nothing was changed.`);
}
