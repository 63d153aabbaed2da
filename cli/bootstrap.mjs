/**
 * Prepares a fresh clone so that `bun` can take over: installs Bun, the packages, a Redis server and, for the tests,
 * Chromium, pgbouncer, nginx and Caddy, where they are missing. Written in plain JavaScript for Node 18 or later (or
 * Bun), because nothing else is installed yet. The scripts in package.json run it first and then `exec` Bun, so that this process
 * does not stay behind.
 *
 * Usage: node cli/bootstrap.mjs [--packages-only | --for-tests]
 */
import { installChromium } from './bootstrap/install-chromium.mjs';
import { installPgbouncer } from './bootstrap/install-pgbouncer.mjs';
import { installPackages } from './bootstrap/install-packages.mjs';
import { installProxies } from './bootstrap/install-proxies.mjs';
import { installRedis } from './bootstrap/install-redis.mjs';
import { MissingTool } from './bootstrap/missing-tool.mjs';

try {
  installPackages();
  const needsRedis = !process.argv.includes('--packages-only') && !process.env['REDIS_URL'];
  if (needsRedis) installRedis();
  if (process.argv.includes('--for-tests')) {
    installForTests(installChromium);
    installForTests(installPgbouncer);
    installForTests(installProxies);
  }
} catch (error) {
  if (!(error instanceof MissingTool)) throw error;
  console.error(`\n${error.message}\n`);
  process.exit(1);
}

/**
 * Without it, only the tests that need it fail, with a message that says so.
 * @param {() => void} install
 */
function installForTests(install) {
  try {
    install();
  } catch (error) {
    if (!(error instanceof MissingTool)) throw error;
    console.error(`\n${error.message}\n`);
  }
}
