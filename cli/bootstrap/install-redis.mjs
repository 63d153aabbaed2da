/** Makes sure that a Redis server is available. */
import { basename } from 'node:path';
import {
  findRedisServer,
  UNPACKED_REDIS_DIR,
  UNPACKED_REDIS_SERVER,
} from '../../runtime/redis/find-redis-server.mjs';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, has, run, unpackDebianPackages } from './unpack-debian-packages.mjs';

export function installRedis() {
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
