/** Keys that the hub generates once and keeps in DATA_DIR, readable only by its user. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../process/start-error.ts';

const keyBytes = 32;

/**
 * Reads the key in `file`, or creates one (mode 0600). Processes that start at the same time on a new folder all get the
 * same key.
 * @param setting the setting that replaces the file, for error messages
 * @throws StartError when the key is damaged, unreadable, or cannot be created
 */
export async function keepKey(file: string, setting: string): Promise<string> {
  const existing = await readKeptKey(file, setting);
  if (existing !== null) return existing;
  await createKey(file).catch((cause: unknown) => {
    throw new StartError(
      `${file} cannot be written. Set DATA_DIR to a folder that this user can write to, or set ${setting}.`,
      { isSetting: true, cause },
    );
  });
  const key = await readKeptKey(file, setting);
  if (key === null) throw new Error(`${file} disappeared while it was being created.`);
  return key;
}

/**
 * @returns null if there is no such file
 * @throws StartError when the key is damaged or unreadable
 */
export async function readKeptKey(file: string, setting: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(unreadable(file, setting));
  if (text === undefined) return null;
  const key = text.trim();
  if (!isUsableKey(key))
    throw new StartError(
      `${file} contains no usable key. Restore it, or remove it to have a new one created.`,
    );
  return key;
}

/** Whether the key is long enough to come from the hub or a careful operator. */
export function isUsableKey(key: string): boolean {
  return key.length >= keyBytes;
}

/**
 * Writes the key to a draft and links it into place. The link fails if another process was first, and a crash
 * never leaves half a key in `file`.
 */
async function createKey(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(keyBytes).toString('base64url')}\n`);
    await handle.sync();
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await handle.close();
    await unlink(draft);
  }
}

/** Ignores a path that goes through a file. Creating the key reports it. */
function unreadable(file: string, setting: string): (cause: NodeJS.ErrnoException) => undefined {
  return (cause) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw new StartError(
      `${file} cannot be read (${cause.code}). Let this user read it, or set ${setting}.`,
      { isSetting: true, cause },
    );
  };
}
