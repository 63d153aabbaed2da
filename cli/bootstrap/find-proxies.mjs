/**
 * Finds the proxies for the tests: an nginx and a Caddy. Plain JavaScript, because the bootstrap runs it under Node before
 * Bun is installed.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {'nginx' | 'caddy'} Proxy */

/**
 * The folder into which the bootstrap unpacks one if the machine has none. It holds a script of the proxy's name.
 * @param {Proxy} proxy
 */
export function unpackedProxyFolder(proxy) {
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
