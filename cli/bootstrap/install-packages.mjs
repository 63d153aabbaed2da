/** Installs Bun and the packages as `bun.lock` has them, when they are missing or older than the lock file. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MissingTool } from './missing-tool.mjs';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const BUN = `${PROJECT}node_modules/.bin/bun`;
/** Holds the digest of what the packages were installed from. */
const STAMP = `${PROJECT}node_modules/.installed-from`;
const INSTALL_TIMEOUT_MS = 10 * 60_000;

export function installPackages() {
  const wanted = digestOf('bun.lock', 'package.json');
  if (existsSync(BUN) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  const [program, ...firstArguments] = bunCommand();
  console.error('Installing packages …');
  const { status, error } = spawnSync(
    program,
    [...firstArguments, 'install', '--frozen-lockfile', '--no-summary'],
    {
      cwd: PROJECT,
      stdio: ['ignore', 2, 2],
      timeout: INSTALL_TIMEOUT_MS,
    },
  );
  if (status !== 0 || spawnSync(BUN, ['--version']).status !== 0) {
    throw new MissingTool(
      'The packages could not be installed' +
        `${error ? ` (${error.message})` : ''}: see above for the cause. The npm registry must be reachable, and ` +
        'bun.lock must fit package.json (run `bun install` after changing one by hand).',
    );
  }
  writeFileSync(STAMP, wanted);
}

/** What runs Bun: what runs this file, the installed one, one of the right version on PATH, or npm's way to fetch it. */
function bunCommand() {
  if (process.versions['bun']) return [process.execPath];
  // The version is pinned in one place, package.json.
  const { devDependencies } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8'));
  const version = devDependencies.bun;
  for (const program of [BUN, 'bun']) {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (status === 0 && stdout.trim() === version) return [program];
  }
  if (spawnSync('npx', ['--version']).status !== 0) {
    throw new MissingTool(
      `Neither Bun nor npx was found. Install Bun ${version} (https://bun.sh) or Node.js with npm.`,
    );
  }
  return ['npx', '-y', `bun@${version}`];
}

/** @param {string[]} files */
function digestOf(...files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(`${PROJECT}${file}`));
  return hash.digest('hex');
}
