/**
 * Finds a pgbouncer for the tests. Plain JavaScript, because the bootstrap runs it under Node before Bun is installed.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder into which the bootstrap unpacks one if the machine has none. */
export const UNPACKED_PGBOUNCER_DIR = fileURLToPath(
  new URL('../../node_modules/.cache/pgbouncer', import.meta.url),
);

/** The script that starts the unpacked one. */
export const UNPACKED_PGBOUNCER = join(UNPACKED_PGBOUNCER_DIR, 'pgbouncer');

/**
 * The path of a pgbouncer: from PATH, else the unpacked one, else null.
 * @returns {string | null}
 */
export function findPgbouncer() {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = [...folders, '/usr/sbin'].map((folder) => join(folder, 'pgbouncer'));
  return [...places, UNPACKED_PGBOUNCER].find((place) => existsSync(place)) ?? null;
}
