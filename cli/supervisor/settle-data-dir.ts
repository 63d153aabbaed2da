/** Makes sure before anything is started that DATA_DIR is a folder this user can write to, and makes it if need be. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '#runtime/process/start-error.ts';

/** What agents and people have entrusted to the hub is not for others on its machine. */
const ownerOnlyFolder = 0o700;

/** @throws StartError when the folder cannot be made or written to */
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
    return `DATA_DIR ${dataDir} is no folder, or lies below a file.`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `DATA_DIR ${dataDir} cannot be written to by this user.`;
  }
  return `DATA_DIR ${dataDir} cannot be made or written to (${code}).`;
}
