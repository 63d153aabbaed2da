/**
 * Writes the secret key of a backup into DATA_DIR in two steps, so that everything that may fail happens
 * before the database is replaced.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretKeyFile } from '#runtime/settings/load-secret-key.ts';
import type { Settings } from '#runtime/settings/settings.ts';

export interface SettledKey {
  readonly secretKey: 'restored' | 'already there' | 'from SECRET_KEY' | 'missing';
  /** The replaced key file, under its new name. */
  readonly kept: readonly string[];
}

export interface StagedKey {
  place(): SettledKey;
  /** Removes temporary files, whether the key was placed or not. */
  clear(): void;
}

const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

/**
 * @param key null if the backup has none
 * @param suffix appended to the name of a key file that is replaced
 */
export function stageSecretKey(
  { secretKey, dataDir }: Settings,
  key: string | null,
  suffix: string,
): StagedKey {
  if (secretKey !== null) return settled('from SECRET_KEY');
  if (key === null) return settled('missing');
  const file = join(dataDir, secretKeyFile);
  const exists = existsSync(file);
  if (exists && readFileSync(file, 'utf8').trim() === key) return settled('already there');
  mkdirSync(dataDir, { recursive: true, mode: ownerOnlyFolder });
  const staged = `${file}.${process.pid}.restoring`;
  writeFileSync(staged, `${key}\n`, { mode: ownerOnly, flag: 'wx' });
  return {
    place: () => {
      if (exists) renameSync(file, file + suffix);
      renameSync(staged, file);
      return { secretKey: 'restored', kept: exists ? [file + suffix] : [] };
    },
    clear: () => rmSync(staged, { force: true }),
  };
}

/** Nothing needs to be written. */
function settled(secretKey: SettledKey['secretKey']): StagedKey {
  return { place: () => ({ secretKey, kept: [] }), clear: () => undefined };
}
