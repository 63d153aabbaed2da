/** Provides a Chromium for the browser tests. */
import { basename } from 'node:path';
import { findChromium, UNPACKED_CHROMIUM, UNPACKED_CHROMIUM_DIR } from './find-chromium.mjs';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

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

/** @throws MissingTool */
export function installChromium() {
  if (findChromium() !== null) return;
  try {
    if (!canUnpackDebianPackages()) throw new Error('There is no apt-get to download it with.');
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
