/**
 * Unpacks the file system of a bare Debian for the tests that start a hub on another machine or in an image. Plain
 * JavaScript, because the bootstrap runs it under Node before Bun is installed.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canUnpackDebianPackages, openApt, run } from './unpack-debian-packages.mjs';

const folder = fileURLToPath(new URL('../../node_modules/.cache/debian', import.meta.url));

/** What the slim images of Debian have, as far as a hub could notice. `usr-is-merged` keeps Perl's modules away. */
const bare = ['?essential', 'mount', 'passwd', 'usr-is-merged'];

/** By layer. The second has what the operating guide installs beside the binary. */
const layers = /** @type {const} */ ({ base: bare, redis: [...bare, 'redis-server'] });

/** The packages of which the folder was made. */
const stamp = join(folder, 'layers.json');
const wanted = JSON.stringify(layers);

/** As in the slim images. */
const leftOut = ['./usr/share/doc/*', './usr/share/man/*', './usr/share/locale/*', './usr/share/info/*'];

/**
 * The folder of a layer; null if it was not unpacked.
 * @param {keyof typeof layers} layer
 * @returns {string | null}
 */
export function findDebianLayer(layer) {
  const found = join(folder, layer);
  return existsSync(found) ? found : null;
}

/**
 * Provides the layers, from the sources of packages that this machine uses. Without them, only the tests that need them
 * fail.
 */
export function installDebianRoot() {
  if (process.platform !== 'linux') return;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const draft = `${folder}.${process.pid}`;
  try {
    if (!canUnpackDebianPackages()) throw new Error('apt-get is not available to download its packages.');
    console.error('Unpacking the file system of a bare Debian into node_modules/.cache (50 MB) …');
    unpackLayers(draft);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.error(`\nThere is no Debian to start a hub on, so some tests of deployments will fail. ${why}`);
    console.error('They need a Debian or Ubuntu whose package sources are reachable.\n');
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {string} draft */
function unpackLayers(draft) {
  const downloads = join(draft, 'downloads');
  const status = join(draft, 'status');
  mkdirSync(downloads, { recursive: true });
  // No package is installed there, so every dependency comes along.
  writeFileSync(status, '');
  const apt = openApt(draft, [`Dir::State::status=${status}`]);
  /** @type {Set<string>} */
  const unpacked = new Set();
  for (const [layer, packages] of Object.entries(layers)) {
    const root = join(draft, layer);
    makeMergedFolders(root);
    const plan = apt(['-s', '--no-install-recommends', 'install', ...packages]);
    const names = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
    apt(['download', ...names.filter((name) => !unpacked.has(name))], downloads);
    for (const name of names) unpacked.add(name);
    for (const file of readdirSync(downloads)) unpack(join(downloads, file), root);
    rmSync(downloads, { recursive: true });
    mkdirSync(downloads);
  }
  configure(join(draft, 'base'));
  for (const part of ['lists', 'cache', 'downloads', 'status'])
    rmSync(join(draft, part), { recursive: true });
  writeFileSync(join(draft, 'layers.json'), wanted);
}

/**
 * `/bin` and its like are links into `/usr`. The packages of older releases hold them as folders.
 * @param {string} root
 */
function makeMergedFolders(root) {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(root, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
}

/**
 * `dpkg-deb -x` would replace the links with folders.
 * @param {string} file
 * @param {string} root
 */
function unpack(file, root) {
  const script = 'file=$1; root=$2; shift 2; dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" "$@"';
  const words = ['--keep-directory-symlink', ...leftOut.map((pattern) => `--exclude=${pattern}`)];
  run('sh', ['-c', script, 'unpack', file, root, ...words]);
}

/**
 * What the scripts of the packages do at their installation.
 * @param {string} root
 */
function configure(root) {
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  for (const name of ['passwd', 'group'])
    cpSync(join(root, `usr/share/base-passwd/${name}.master`), join(root, 'etc', name));
  cpSync(join(root, 'usr/share/libc-bin/nsswitch.conf'), join(root, 'etc/nsswitch.conf'));
  writeFileSync(join(root, 'etc/shadow'), '');
  chmodSync(join(root, 'etc/shadow'), 0o640);
}
