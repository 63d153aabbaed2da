/**
 * Finds a Chromium for the browser tests. Plain JavaScript, because the bootstrap runs it under Node before Bun is
 * installed.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM_NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** The usual places on macOS, which are not on the PATH. */
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The folder into which the bootstrap unpacks one if the machine has none. */
export const UNPACKED_CHROMIUM_DIR = fileURLToPath(
  new URL('../../node_modules/.cache/chromium', import.meta.url),
);

/** The script that starts the unpacked one. */
export const UNPACKED_CHROMIUM = join(UNPACKED_CHROMIUM_DIR, 'chromium');

/**
 * The path of a Chromium: from PATH, else the unpacked one, else null.
 * @param {string} [searchPath]
 * @returns {string | null}
 */
export function findChromium(searchPath = process.env['PATH'] ?? '') {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  const onPath = PROGRAM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, UNPACKED_CHROMIUM, ...APPLICATIONS].find(isProgram) ?? null;
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
