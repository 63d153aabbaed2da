/**
 * Finds a Python for the tests of the Python client: 3.9 or later, with pip and `cryptography`. Plain JavaScript, because
 * the bootstrap runs it under Node before Bun is installed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder into which the bootstrap unpacks one if the machine has none. It holds a script `python3`. */
export const unpackedPythonFolder = fileURLToPath(
  new URL('../../node_modules/.cache/python', import.meta.url),
);

/** What a suitable Python runs without an error. */
export const pythonCheck =
  'import sys, cryptography, pip; assert sys.version_info >= (3, 9); print("suitable")';

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
