/**
 * The programs that only the tests need. Those that the machine lacks are unpacked from packages of its distribution.
 * Plain JavaScript, because the bootstrap runs it under Node before Bun is installed.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

/** @typedef {import('./test-tools.d.mts').TestTool} TestTool */
/** @typedef {Omit<Parameters<typeof unpackDebianPackages>[0], 'folder' | 'starter'>} Unpacking */

const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/** The unpacked browser needs a font. A minimal system has none. */
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>%ROOT%/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** `--version` works without the browser's data and libraries. Root may not use the sandbox. */
const renderPage = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--dump-dom',
  'data:text/html,<title>Rendered</title>',
];

/**
 * Programs look for their data, which `chromium-common` holds, beside themselves, so that package is unpacked too, even
 * where the system has it installed.
 * @param {string} program
 * @returns {Unpacking}
 */
const browser = (program) => ({
  packages: [program, 'chromium-common', 'fonts-dejavu-core'],
  program: `usr/lib/chromium/${program}`,
  files: { 'fonts.conf': fonts },
  settings: ['export FONTCONFIG_FILE="$here/fonts.conf"'],
  check: { arguments: renderPage, output: 'Rendered' },
});

/** What a suitable Python runs without an error. */
const pythonCheck = 'import sys, cryptography, pip; assert sys.version_info >= (3, 9); print("suitable")';

/** Prometheus's package depends on 200 MB of scripts for its pages, which the tests do not open. */
const monitoring = ['usr/bin/prometheus', 'usr/bin/promtool'];

/**
 * By their names on PATH. Of several ways to unpack one, the first that the distribution has is taken.
 * @type {Readonly<Record<TestTool, { names?: readonly string[], places?: readonly string[], isSuitable?: (program: string) => boolean, unpack: readonly Unpacking[], unpacked?: string }>>}
 */
const tools = {
  chromium: {
    names: [
      'chromium-headless-shell',
      'chromium',
      'chromium-browser',
      'google-chrome',
      'google-chrome-stable',
    ],
    places: [
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    // The headless shell takes a third of the processor time: it has no windows, profiles or extensions.
    unpack: [browser('chromium-headless-shell'), browser('chromium')],
  },
  pgbouncer: { unpack: [{ packages: ['pgbouncer'], program: 'usr/sbin/pgbouncer' }] },
  nginx: {
    unpack: [{ packages: ['nginx'], program: 'usr/sbin/nginx', check: { arguments: ['-v'], output: '' } }],
  },
  caddy: {
    unpack: [
      { packages: ['caddy'], program: 'usr/bin/caddy', check: { arguments: ['version'], output: '' } },
    ],
  },
  prometheus: {
    unpack: [{ packages: ['prometheus'], program: 'usr/bin/prometheus', only: monitoring }],
  },
  // Of the package above.
  promtool: { unpack: [], unpacked: 'prometheus/root/usr/bin/promtool' },
  python3: {
    isSuitable: (program) =>
      spawnSync(program, ['-c', pythonCheck], { stdio: 'ignore', timeout: 60_000 }).status === 0,
    unpack: [
      {
        packages: ['python3', 'python3-minimal', 'python3-cryptography', 'python3-pip'],
        program: 'usr/bin/python3',
        settings: ['export PYTHONHOME="$here/root/usr"'],
        check: { arguments: ['-c', pythonCheck], output: 'suitable' },
      },
    ],
  },
};

/**
 * The path of a program: from PATH, else the unpacked one, else null.
 * @param {TestTool} tool
 * @returns {string | null}
 */
function findTool(tool) {
  const { names = [tool], places = [], isSuitable = isProgram, unpacked = join(tool, tool) } = tools[tool];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), '/usr/sbin'];
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return (
    [...onPath, join(cache, unpacked), ...places].find((place) => isProgram(place) && isSuitable(place)) ??
    null
  );
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

/** @param {TestTool} tool */
export function requireTool(tool) {
  const found = findTool(tool);
  if (found === null)
    throw new Error(`There is no ${tool}. \`npm test\` unpacks one, where apt-get is available.`);
  return found;
}

/** Provides what can be provided. Without a tool, only the tests that need it fail, with a message that says so. */
export function installTestTools() {
  // The table above has these keys.
  for (const tool of /** @type {TestTool[]} */ (Object.keys(tools))) {
    if (findTool(tool) !== null || tools[tool].unpack.length === 0) continue;
    try {
      if (!canUnpackDebianPackages()) throw new Error('apt-get is not available to download it.');
      console.error(
        `No suitable ${tool} here: unpacking the distribution’s package into node_modules/.cache …`,
      );
      unpackFirst(tool, tools[tool].unpack);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      console.error(`\nNo suitable ${tool} found, so the tests that need it will fail. ${why}`);
      console.error(`Install one with your package manager. A Python needs pip and \`cryptography\`.\n`);
    }
  }
}

/**
 * @param {string} tool
 * @param {readonly Unpacking[]} ways
 */
function unpackFirst(tool, [way, ...others]) {
  if (way === undefined) return;
  try {
    unpackDebianPackages({ ...way, folder: join(cache, tool), starter: tool });
  } catch (error) {
    if (others.length === 0) throw error;
    unpackFirst(tool, others);
  }
}
