/** Provides an nginx and a Caddy for the tests of a hub behind a proxy. */
import { findProxy, unpackedProxyFolder } from './find-proxies.mjs';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

/** The program in its package, and how to see that it works. */
const proxies = /** @type {const} */ ({
  nginx: { program: 'usr/sbin/nginx', check: { arguments: ['-v'], output: '' } },
  caddy: { program: 'usr/bin/caddy', check: { arguments: ['version'], output: '' } },
});

/** @throws MissingTool */
export function installProxies() {
  for (const proxy of /** @type {const} */ (['nginx', 'caddy'])) {
    if (findProxy(proxy) !== null) continue;
    try {
      if (!canUnpackDebianPackages()) throw new Error('There is no apt-get to download it with.');
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
