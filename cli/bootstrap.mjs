/**
 * Prepares a fresh clone so that `bun` can take over: installs Bun, the packages, a Redis server and, for the tests,
 * Chromium, pgbouncer, nginx, Caddy, Prometheus, a Python and the files of a bare Debian, where they are missing. Written
 * in plain JavaScript for Node 18 or later (or Bun), because nothing else is installed yet. The scripts in package.json
 * run it first and then `exec` Bun, so that this process does not stay behind.
 *
 * Usage: node cli/bootstrap.mjs [--packages-only | --for-tests]
 */
import { basename } from 'node:path';
import {
  findRedisServer,
  UNPACKED_REDIS_DIR,
  UNPACKED_REDIS_SERVER,
} from '#runtime/redis/find-redis-server.mjs';
import { installDebianRoot } from './bootstrap/install-debian-root.mjs';
import { installPackages } from './bootstrap/install-packages.mjs';
import { MissingTool } from './bootstrap/missing-tool.mjs';
import { installTestTools } from './bootstrap/test-tools.mjs';
import {
  canUnpackDebianPackages,
  has,
  run,
  unpackDebianPackages,
} from './bootstrap/unpack-debian-packages.mjs';

try {
  installPackages();
  const needsRedis = !process.argv.includes('--packages-only') && !process.env['REDIS_URL'];
  if (needsRedis) installRedis();
  if (process.argv.includes('--for-tests')) {
    installTestTools();
    installDebianRoot();
  }
} catch (error) {
  if (!(error instanceof MissingTool)) throw error;
  console.error(`\n${error.message}\n`);
  process.exit(1);
}

/** Makes sure that a Redis server is available. */
function installRedis() {
  if (findRedisServer() !== null) return;
  try {
    if (canUnpackDebianPackages()) unpackRedis();
    else if (has('brew')) run('brew', ['install', 'redis']);
    else throw new Error('Neither apt-get nor brew is available to install one.');
    if (findRedisServer() === null) throw new Error('The installed package contains no redis-server.');
  } catch (error) {
    throw new MissingTool(
      `No Redis server found. ${error instanceof Error ? error.message : String(error)}\n\n` +
        'Install one with your package manager (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install ' +
        'valkey; Alpine: apk add valkey; macOS: brew install redis),\n' +
        'or set REDIS_URL=redis://host:port to use one on another machine.',
    );
  }
}

function unpackRedis() {
  console.error(
    'No redis-server on PATH: unpacking the one of this Linux distribution into node_modules/.cache …',
  );
  unpackDebianPackages({
    packages: ['redis-server', 'redis-tools'],
    folder: UNPACKED_REDIS_DIR,
    starter: basename(UNPACKED_REDIS_SERVER),
    program: 'usr/bin/redis-server',
  });
}
