import { accessSync, constants, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

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
const UNPACKED_CHROMIUM_DIR = fileURLToPath(new URL('../../node_modules/.cache/chromium', import.meta.url));

/** The script that starts the unpacked one. */
const UNPACKED_CHROMIUM = join(UNPACKED_CHROMIUM_DIR, 'chromium');

/**
 * Finds a Chromium for the browser tests. Plain JavaScript, because the bootstrap runs it under Node before Bun is
 * installed.
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

/** The unpacked browser needs a font. A minimal system has none. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>%ROOT%/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * The first one that the distribution has. The headless shell renders like the browser, but takes a third of the
 * processor time, because it has no windows, profiles or extensions. Both look for their data, which `chromium-common`
 * holds, beside themselves, so that package is unpacked too, even where the system has it installed.
 */
const PROGRAMS = ['chromium-headless-shell', 'chromium'];

const PAGE_TEXT = 'Rendered';

/**
 * `--version` works without the browser's data and libraries, so the check renders a page. Root may not use the
 * sandbox.
 */
const RENDER_PAGE = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--dump-dom',
  `data:text/html,<title>${PAGE_TEXT}</title>`,
];

/**
 * Provides a Chromium for the browser tests.
 * @throws MissingTool
 */
export function installChromium() {
  if (findChromium() !== null) return;
  try {
    if (!canUnpackDebianPackages()) throw new Error('apt-get is not available to download it.');
    console.error(
      'No Chromium on PATH: unpacking the distribution’s package into node_modules/.cache (100 MB) …',
    );
    unpackFirst(PROGRAMS);
  } catch (error) {
    throw new MissingTool(
      `A Chromium for the browser tests is missing. ${error instanceof Error ? error.message : String(error)}\n\n` +
        'Install one with your package manager (Debian: apt-get install chromium; Fedora: dnf install chromium; ' +
        'Alpine: apk add chromium; macOS: brew install --cask chromium).',
    );
  }
}

/** @param {readonly string[]} programs */
function unpackFirst([program, ...others]) {
  try {
    unpackDebianPackages({
      packages: [program, 'chromium-common', 'fonts-dejavu-core'],
      folder: UNPACKED_CHROMIUM_DIR,
      starter: basename(UNPACKED_CHROMIUM),
      program: `usr/lib/chromium/${program}`,
      files: { 'fonts.conf': FONTS },
      settings: ['export FONTCONFIG_FILE="$here/fonts.conf"'],
      check: { arguments: RENDER_PAGE, output: PAGE_TEXT },
    });
  } catch (error) {
    if (others.length === 0) throw error;
    unpackFirst(others);
  }
}
