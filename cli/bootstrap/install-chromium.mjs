/** Makes sure that there is a Chromium for the tests of what the hub shows in a browser. */
import { basename } from 'node:path';
import { findChromium, UNPACKED_CHROMIUM, UNPACKED_CHROMIUM_DIR } from './find-chromium.mjs';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

/** The one family of letters that the unpacked browser needs; a bare system has none. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>%ROOT%/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** @throws MissingTool */
export function installChromium() {
  if (findChromium() !== null) return;
  try {
    if (!canUnpackDebianPackages()) throw new Error('There is no apt-get here to get one with.');
    console.error(
      'No Chromium on PATH: unpacking the one of this system’s distribution into node_modules/.cache (130 MB) …',
    );
    unpackDebianPackages({
      packages: ['chromium', 'fonts-dejavu-core'],
      folder: UNPACKED_CHROMIUM_DIR,
      starter: basename(UNPACKED_CHROMIUM),
      program: 'usr/lib/chromium/chromium',
      files: { 'fonts.conf': FONTS },
      settings: ['export FONTCONFIG_FILE="$here/fonts.conf"'],
    });
  } catch (error) {
    throw new MissingTool(
      `A Chromium for the browser tests is missing. ${error instanceof Error ? error.message : String(error)}\n\n` +
        'Install one with your package manager (Debian: apt-get install chromium; Fedora: dnf install chromium; ' +
        'Alpine: apk add chromium; macOS: brew install --cask chromium).',
    );
  }
}
