/** Provides a Python for the tests of the Python client. */
import { findPython, pythonCheck, unpackedPythonFolder } from './find-python.mjs';
import { MissingTool } from './missing-tool.mjs';
import { canUnpackDebianPackages, unpackDebianPackages } from './unpack-debian-packages.mjs';

/** @throws MissingTool */
export function installPython() {
  if (findPython() !== null) return;
  try {
    if (!canUnpackDebianPackages()) throw new Error('There is no apt-get to download it with.');
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
