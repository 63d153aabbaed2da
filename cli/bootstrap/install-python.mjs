/**
 * Finds or unpacks a Python for the tests of the Python client: 3.9 or later, with pip and `cryptography`. Plain
 * JavaScript, because the bootstrap runs it under Node before Bun is installed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

/** The folder into which the bootstrap unpacks one if the machine has none. It holds a script `python3`. */
const unpackedPythonFolder = fileURLToPath(new URL('../../node_modules/.cache/python', import.meta.url));

/** What a suitable Python runs without an error. */
const pythonCheck = 'import sys, cryptography, pip; assert sys.version_info >= (3, 9); print("suitable")';

const CHECK_TIMEOUT_MS = 60_000;

/**
 * The program: from PATH, else the unpacked one, else null.
 * @returns {string | null}
 */
export function findPython() {
  const places = ['python3', join(unpackedPythonFolder, 'python3')];
  return places.find((place) => isSuitable(place)) ?? null;
}

/** @param {string} program */
function isSuitable(program) {
  const options = { stdio: /** @type {const} */ ('ignore'), timeout: CHECK_TIMEOUT_MS };
  return spawnSync(program, ['-c', pythonCheck], options).status === 0;
}

/** @throws MissingTool */
export function installPython() {
  if (findPython() !== null) return;
  try {
    if (!canUnpackDebianPackages()) throw new Error('apt-get is not available to download it.');
    console.error(
      'No Python with pip and cryptography here: unpacking the distribution’s packages into node_modules/.cache …',
    );
    unpackDebianPackages({
      packages: ['python3', 'python3-minimal', 'python3-cryptography', 'python3-pip'],
      folder: unpackedPythonFolder,
      starter: 'python3',
      program: 'usr/bin/python3',
      settings: ['export PYTHONHOME="$here/root/usr"'],
      check: { arguments: ['-c', pythonCheck], output: 'suitable' },
    });
  } catch (error) {
    throw new MissingTool(
      `No suitable Python found, so the tests of the Python client will fail. ${error instanceof Error ? error.message : String(error)}\n\n` +
        'Install Python 3.9 or later with pip and the package `cryptography`.',
    );
  }
}
