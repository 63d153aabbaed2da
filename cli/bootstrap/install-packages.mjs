/** Installs Bun and the packages in `bun.lock` if they are missing or older than the lock file. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MissingTool } from './missing-tool.mjs';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const BUN = `${PROJECT}node_modules/.bin/bun`;
/** Holds the digest of the files that the packages were installed from. */
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
        `${error ? ` (${error.message})` : ''}. The cause is shown above. Check that the npm registry is reachable and ` +
        'that bun.lock matches package.json (run `bun install` after editing package.json).',
    );
  }
  writeFileSync(STAMP, wanted);
}

/**
 * Finds a command that runs Bun: this process, the installed package, a matching version on PATH, or npx.
 */
function bunCommand() {
  if (process.versions['bun']) return [process.execPath];
  // package.json is the only place that pins the version.
  const { devDependencies } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8'));
  const version = devDependencies.bun;
  for (const program of [BUN, 'bun']) {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (status === 0 && stdout.trim() === version) return [program];
  }
  if (spawnSync('npx', ['--version']).status !== 0) {
    throw new MissingTool(
      `Found neither Bun nor npx. Install Bun ${version} (https://bun.sh) or Node.js with npm.`,
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
