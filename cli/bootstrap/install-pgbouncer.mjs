/** Provides a pgbouncer for the tests of a store behind a transaction pooler. */
import { basename } from 'node:path';
import { findPgbouncer, UNPACKED_PGBOUNCER, UNPACKED_PGBOUNCER_DIR } from './find-pgbouncer.mjs';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

/** @throws MissingTool */
export function installPgbouncer() {
  if (findPgbouncer() !== null) return;
  try {
    if (!canUnpackDebianPackages()) throw new Error('There is no apt-get to download it with.');
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
