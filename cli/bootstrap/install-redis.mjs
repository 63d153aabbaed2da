/**
 * Makes sure that there is a Redis server to run. On Debian and its kin the server is unpacked into a folder of the
 * project, which needs no root, starts no service and leaves the system as it is.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer, UNPACKED_REDIS_DIR } from '../../runtime/find-redis-server.mjs';
import { MissingTool } from './missing-tool.mjs';

const STEP_TIMEOUT_MS = 5 * 60_000;
const PACKAGES = ['redis-server', 'redis-tools'];

export function installRedis() {
  if (findRedisServer() !== null) return;
  try {
    if (has('apt-get') && has('dpkg-deb')) unpackDebianPackages();
    else if (has('brew')) run('brew', ['install', 'redis']);
    else throw new Error('There is neither apt-get nor brew here to install one with.');
    if (findRedisServer() === null) throw new Error('The installed package brought no redis-server.');
  } catch (error) {
    throw new MissingTool(
      `A Redis server is missing. ${error instanceof Error ? error.message : String(error)}\n\n` +
        'Install one with your package manager (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install ' +
        'valkey; Alpine: apk add valkey; macOS: brew install redis),\n' +
        'or set REDIS_URL=redis://host:port to use one that runs elsewhere.',
    );
  }
}

/** Downloads the server and those of its libraries that the system lacks, and unpacks them side by side. */
function unpackDebianPackages() {
  console.error(
    'No redis-server on PATH: unpacking the one of this system’s distribution into node_modules/.cache …',
  );
  const draft = `${UNPACKED_REDIS_DIR}.${process.pid}`;
  const downloads = join(draft, 'downloads');
  const root = join(draft, 'root');
  for (const folder of ['lists/partial', 'cache/archives/partial', 'downloads', 'root']) {
    mkdirSync(join(draft, folder), { recursive: true });
  }
  try {
    // With lists and a cache of its own apt needs no root, and bare images come without lists anyway.
    const settings = [
      `Dir::State::Lists=${draft}/lists`,
      `Dir::Cache=${draft}/cache`,
      'APT::Sandbox::User=root',
    ];
    const options = ['-q', ...settings.flatMap((setting) => ['-o', setting])];
    run('apt-get', [...options, 'update']);
    const plan = run('apt-get', [
      ...options,
      '-s',
      '--reinstall',
      '--no-install-recommends',
      'install',
      ...PACKAGES,
    ]);
    run('apt-get', [...options, 'download', ...packagesToUnpack(plan)], downloads);
    for (const file of readdirSync(downloads)) run('dpkg-deb', ['-x', join(downloads, file), root]);
    writeStarter(join(draft, 'redis-server'), root);
    run(join(draft, 'redis-server'), ['--version']);
    for (const folder of ['lists', 'cache', 'downloads']) rmSync(join(draft, folder), { recursive: true });
    rmSync(UNPACKED_REDIS_DIR, { recursive: true, force: true });
    renameSync(draft, UNPACKED_REDIS_DIR);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * The names in apt's plan, whose lines read `Inst name [installed version] (new version …)`. What is installed already
 * is used as it is: a C library newer than the system's would not even load.
 * @param {string} plan
 */
function packagesToUnpack(plan) {
  const planned = [...plan.matchAll(/^Inst (\S+)( \[)?/gm)];
  const missing = planned
    .filter(([, name, installed]) => !installed || PACKAGES.includes(name))
    .map(([, name]) => name);
  return [...new Set([...PACKAGES, ...missing])];
}

/**
 * Writes the script that runs the unpacked server with the libraries beside it.
 * @param {string} file
 * @param {string} root
 */
function writeStarter(file, root) {
  const libraries = ['usr/lib', 'lib'].flatMap((folder) => [
    folder,
    ...subfolders(join(root, folder)).map((name) => `${folder}/${name}`),
  ]);
  const searchPath = libraries.map((folder) => `$here/root/${folder}`).join(':');
  writeFileSync(
    file,
    `#!/bin/sh\nhere=\${0%/*}\nexport LD_LIBRARY_PATH="${searchPath}"\nexec "$here/root/usr/bin/redis-server" "$@"\n`,
  );
  chmodSync(file, 0o755);
}

/** @param {string} folder */
function subfolders(folder) {
  try {
    return readdirSync(folder).filter((name) => name.includes('linux-'));
  } catch {
    return [];
  }
}

/** @param {string} program */
function has(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Runs a program to its end and gives what it printed.
 * @param {string} program
 * @param {string[]} programArguments
 * @param {string} [cwd]
 */
function run(program, programArguments, cwd) {
  const { status, stdout, stderr, error } = spawnSync(program, programArguments, {
    ...(cwd === undefined ? {} : { cwd }),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: STEP_TIMEOUT_MS,
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) {
    const words = (error?.message ?? stderr).trim().split('\n').slice(-5).join('\n');
    throw new Error(`\`${program} ${programArguments.at(-1)}\` failed: ${words}`);
  }
  return stdout;
}
