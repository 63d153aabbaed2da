/** Keeps the clients that a hub serves for one test run: the npm package unpacked, and the wheel of Python. */
import { join } from 'node:path';
import { npmPackage, pythonWheel, readClientPackage } from '#api/discovery/client-packages.ts';
import { keepForRun } from '../run-share.ts';

await keepForRun(async (folder) => {
  const archive = join(folder, 'client.tgz');
  await Bun.write(archive, await readClientPackage(npmPackage));
  // Python imports from archives.
  await Bun.write(join(folder, 'client.whl'), await readClientPackage(pythonWheel));
  const unpacked = Bun.spawnSync(['tar', '-xzf', archive, '-C', folder]);
  if (!unpacked.success) throw new Error('The package was not unpacked.');
  return { place: folder, end: () => Promise.resolve() };
});
