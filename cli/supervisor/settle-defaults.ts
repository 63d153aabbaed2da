/** Settles the port and the data folder when no setting names them. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartError } from '#runtime/process/start-error.ts';

const portMax = 65_535;

/**
 * Checks before anything starts that a process can listen, and chooses a port for `PORT=0`.
 * Listens briefly where the process will.
 * @returns the port, chosen by the system if it was 0
 * @throws StartError when the address is not available
 */
export function settlePort(host: string, port: number, setting = 'PORT'): Promise<number> {
  return new Promise((resolve, reject) => {
    if (port > portMax)
      throw new StartError(`There is no port ${port}. Set ${setting} to a lower one.`, { isSetting: true });
    const probe = createServer();
    probe.on('error', (error: NodeJS.ErrnoException) =>
      reject(new StartError(portFault(error, host, port, setting))),
    );
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const settled = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(settled));
    });
  });
}

const hostWayOut =
  'Set HOST to an address of this machine: 127.0.0.1 for local access only, 0.0.0.0 for all addresses.';

function portFault(
  { code, message }: NodeJS.ErrnoException,
  host: string,
  port: number,
  setting: string,
): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use by another hub or program. Stop it, or set ${setting} to another port.`;
  }
  if (code === 'EACCES') return `This user may not listen on port ${port}. Set ${setting} to 1024 or higher.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine. ${hostWayOut}`;
  return `The hub cannot listen on ${host}, port ${port} (${message}). ${hostWayOut}`;
}

/** Other users of the machine must not read the hub's data. */
const ownerOnlyFolder = 0o700;

/**
 * Makes sure that DATA_DIR exists and is writable before anything starts.
 * @returns the outermost folder that was created; null if DATA_DIR existed
 * @throws StartError when the folder cannot be created or written to
 */
export async function settleDataDir(dataDir: string): Promise<string | null> {
  const probe = join(dataDir, `.start-probe-${process.pid}`);
  try {
    const created = await mkdir(dataDir, { recursive: true, mode: ownerOnlyFolder });
    await writeFile(probe, '');
    await rm(probe, { force: true });
    return created ?? null;
  } catch (error) {
    throw new StartError(
      `${folderFault(error, dataDir)} Set DATA_DIR to a folder that this user can write to.`,
      {
        isSetting: true,
        cause: error,
      },
    );
  }
}

function folderFault(error: unknown, dataDir: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (code === 'EEXIST' || code === 'ENOTDIR')
    return `DATA_DIR ${dataDir} is not a folder, or is below a file.`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `DATA_DIR ${dataDir} is not writable by this user.`;
  }
  return `DATA_DIR ${dataDir} cannot be created or written to (${code}).`;
}
