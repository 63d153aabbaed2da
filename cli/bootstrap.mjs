/**
 * Brings a fresh clone to the point where `bun` can take over: installs Bun with the packages, and a Redis server, where
 * they are missing. Plain JavaScript for Node 18 and up (or Bun), as there is nothing else yet. The scripts in
 * package.json run it first and then replace themselves with Bun, so that no process of this stays behind.
 *
 * Usage: node cli/bootstrap.mjs [--packages-only]
 */
import { installPackages } from './bootstrap/install-packages.mjs';
import { installRedis } from './bootstrap/install-redis.mjs';
import { MissingTool } from './bootstrap/missing-tool.mjs';

try {
  installPackages();
  const needsRedis = !process.argv.includes('--packages-only') && !process.env['REDIS_URL'];
  if (needsRedis) installRedis();
} catch (error) {
  if (!(error instanceof MissingTool)) throw error;
  console.error(`\n${error.message}\n`);
  process.exit(1);
}
