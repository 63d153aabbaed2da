/** Where the browser tests find a Chromium. Plain JavaScript, because the bootstrap reads it under Node before Bun is there. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where it lies on macOS, on no PATH. */
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The folder into which the bootstrap unpacks one where the machine has none. */
export const UNPACKED_CHROMIUM_DIR = fileURLToPath(
  new URL('../../node_modules/.cache/chromium', import.meta.url),
);

/** What starts the unpacked one. */
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
