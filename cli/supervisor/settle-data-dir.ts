/** Makes sure that DATA_DIR exists and is writable before anything starts. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '#runtime/process/start-error.ts';

/** Other users of the machine must not read the hub's data. */
const ownerOnlyFolder = 0o700;

/** @throws StartError when the folder cannot be created or written to */
export async function settleDataDir(dataDir: string): Promise<void> {
  const probe = join(dataDir, `.start-probe-${process.pid}`);
  try {
    await mkdir(dataDir, { recursive: true, mode: ownerOnlyFolder });
    await writeFile(probe, '');
    await rm(probe, { force: true });
  } catch (error) {
    throw new StartError(`${explain(error, dataDir)} Set DATA_DIR to a folder that this user can write to.`, {
      isSetting: true,
      cause: error,
    });
  }
}

function explain(error: unknown, dataDir: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (code === 'EEXIST' || code === 'ENOTDIR')
    return `DATA_DIR ${dataDir} is not a folder, or is below a file.`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `DATA_DIR ${dataDir} is not writable by this user.`;
  }
  return `DATA_DIR ${dataDir} cannot be created or written to (${code}).`;
}
