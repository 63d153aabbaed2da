/**
 * The hub's own secret, which keys the hashes of client networks. The operator sets it, or the hub creates
 * and keeps one.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepKey } from './kept-key.ts';
import type { Settings } from './settings.ts';

/** In DATA_DIR. */
export const secretKeyFile = 'secret-key';

/** Returns the operator's `SECRET_KEY`, or else the key in `DATA_DIR/secret-key`, created on first use (mode 0600). */
export async function loadSecretKey(settings: Pick<Settings, 'secretKey' | 'dataDir'>): Promise<string> {
  if (settings.secretKey !== null) return settings.secretKey;
  return keepKey(join(settings.dataDir, secretKeyFile), 'SECRET_KEY');
}

/** The key that the hub generated; null if the operator set one, or there is none yet. */
export function readGeneratedKey({
  secretKey,
  dataDir,
}: Pick<Settings, 'secretKey' | 'dataDir'>): string | null {
  const file = join(dataDir, secretKeyFile);
  return secretKey === null && existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
