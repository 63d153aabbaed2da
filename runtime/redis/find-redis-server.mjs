/**
 * Finds a Redis server program. Plain JavaScript, because the bootstrap runs it under Node before Bun is
 * installed.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAM_NAMES = ['redis-server', 'valkey-server'];

/** The folder into which the bootstrap unpacks a server if the machine has none. */
export const UNPACKED_REDIS_DIR = join(
  import.meta.dirname ?? dirnameOfThisFile(),
  '..',
  '..',
  'node_modules',
  '.cache',
  'redis',
);

/** Starts the unpacked server. */
export const UNPACKED_REDIS_SERVER = join(UNPACKED_REDIS_DIR, 'redis-server');

/**
 * The path of a Redis or Valkey server: from PATH, else the unpacked one, else null.
 * @param {string} [searchPath]
 * @returns {string | null}
 */
export function findRedisServer(searchPath = process.env['PATH'] ?? '') {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  const onPath = PROGRAM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, UNPACKED_REDIS_SERVER].find(isProgram) ?? null;
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** For Node before 20.11, which lacks `import.meta.dirname`. */
function dirnameOfThisFile() {
  return decodeURIComponent(new URL('.', import.meta.url).pathname);
}
