/** Installs the servers that only the tests need: PgBouncer, nginx, Caddy and Prometheus. */
import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

/** The folder into which the bootstrap unpacks one if the machine has none. */
const UNPACKED_PGBOUNCER_DIR = fileURLToPath(new URL('../../node_modules/.cache/pgbouncer', import.meta.url));

/** The script that starts the unpacked one. */
const UNPACKED_PGBOUNCER = join(UNPACKED_PGBOUNCER_DIR, 'pgbouncer');

/**
 * Finds a pgbouncer for the tests. Plain JavaScript, because the bootstrap runs it under Node before Bun is installed.
 * The path of a pgbouncer: from PATH, else the unpacked one, else null.
 * @returns {string | null}
 */
export function findPgbouncer() {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = [...folders, '/usr/sbin'].map((folder) => join(folder, 'pgbouncer'));
  return [...places, UNPACKED_PGBOUNCER].find((place) => existsSync(place)) ?? null;
}

/**
 * Finds the proxies for the tests: an nginx and a Caddy. Plain JavaScript, because the bootstrap runs it under Node before
 * Bun is installed.
 */

/** @typedef {'nginx' | 'caddy'} Proxy */

/**
 * The folder into which the bootstrap unpacks one if the machine has none. It holds a script of the proxy's name.
 * @param {Proxy} proxy
 */
function unpackedProxyFolder(proxy) {
  return fileURLToPath(new URL(`../../node_modules/.cache/${proxy}`, import.meta.url));
}

/**
 * The path of a proxy: from PATH, else the unpacked one, else null.
 * @param {Proxy} proxy
 * @returns {string | null}
 */
export function findProxy(proxy) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = [...folders, '/usr/sbin', unpackedProxyFolder(proxy)].map((folder) => join(folder, proxy));
  return places.find((place) => existsSync(place)) ?? null;
}

/**
 * Provides a pgbouncer for the tests of a store behind a transaction pooler.
 * @throws MissingTool
 */
export function installPgbouncer() {
  if (findPgbouncer() !== null) return;
  try {
    if (!canUnpackDebianPackages()) throw new Error('apt-get is not available to download it.');
    console.error('No pgbouncer here: unpacking the distribution’s package into node_modules/.cache …');
    unpackDebianPackages({
      packages: ['pgbouncer'],
      folder: UNPACKED_PGBOUNCER_DIR,
      starter: basename(UNPACKED_PGBOUNCER),
      program: 'usr/sbin/pgbouncer',
    });
  } catch (error) {
    throw new MissingTool(
      `No pgbouncer found, so the tests behind a pooler will fail. ${error instanceof Error ? error.message : String(error)}\n\n` +
        'Install the package `pgbouncer` with your package manager.',
    );
  }
}

/** The program in its package, and how to see that it works. */
const proxies = /** @type {const} */ ({
  nginx: { program: 'usr/sbin/nginx', check: { arguments: ['-v'], output: '' } },
  caddy: { program: 'usr/bin/caddy', check: { arguments: ['version'], output: '' } },
});

/**
 * Provides an nginx and a Caddy for the tests of a hub behind a proxy.
 * @throws MissingTool
 */
export function installProxies() {
  for (const proxy of /** @type {const} */ (['nginx', 'caddy'])) {
    if (findProxy(proxy) !== null) continue;
    try {
      if (!canUnpackDebianPackages()) throw new Error('apt-get is not available to download it.');
      console.error(`No ${proxy} here: unpacking the distribution’s package into node_modules/.cache …`);
      unpackDebianPackages({
        packages: [proxy],
        folder: unpackedProxyFolder(proxy),
        starter: proxy,
        ...proxies[proxy],
      });
    } catch (error) {
      throw new MissingTool(
        `No ${proxy} found, so the tests of a hub behind it will fail. ${error instanceof Error ? error.message : String(error)}\n\n` +
          `Install the package \`${proxy}\` with your package manager.`,
      );
    }
  }
}

/** @typedef {'prometheus' | 'promtool'} MonitoringProgram */

/** The folder into which the bootstrap unpacks the two programs if the machine has none. */
const UNPACKED_PROMETHEUS_DIR = fileURLToPath(
  new URL('../../node_modules/.cache/prometheus', import.meta.url),
);

const monitoringPrograms = /** @type {const} */ (['prometheus', 'promtool']);

/**
 * The path of Prometheus or of its tool: from PATH, else the unpacked one, else null.
 * @param {MonitoringProgram} program
 * @returns {string | null}
 */
export function findMonitoring(program) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = [...folders, join(UNPACKED_PROMETHEUS_DIR, 'root/usr/bin')].map((folder) =>
    join(folder, program),
  );
  return places.find((place) => existsSync(place)) ?? null;
}

/**
 * Provides a Prometheus for the tests of the alert rules. Its package depends on 200 MB of scripts for its pages, which
 * the tests do not open.
 * @throws MissingTool
 */
export function installPrometheus() {
  if (monitoringPrograms.every((program) => findMonitoring(program) !== null)) return;
  try {
    if (!canUnpackDebianPackages()) throw new Error('apt-get is not available to download it.');
    console.error(
      'No Prometheus here: unpacking the distribution’s package into node_modules/.cache (95 MB) …',
    );
    unpackDebianPackages({
      packages: ['prometheus'],
      folder: UNPACKED_PROMETHEUS_DIR,
      starter: 'prometheus',
      program: 'usr/bin/prometheus',
      only: monitoringPrograms.map((program) => `usr/bin/${program}`),
    });
  } catch (error) {
    throw new MissingTool(
      `No Prometheus found, so the tests of the alert rules will fail. ${error instanceof Error ? error.message : String(error)}\n\n` +
        'Install the package `prometheus` with your package manager.',
    );
  }
}
