/**
 * The hub's own secret, which keys the hashes of client networks. The operator sets it, or the hub creates
 * and keeps one.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from './settings.ts';
import { StartError } from '../process/start-error.ts';

/** In DATA_DIR. */
export const secretKeyFile = 'secret-key';
const keyBytes = 32;

/**
 * Returns the operator's `SECRET_KEY`, or else the key in `DATA_DIR/secret-key`, created on first use (mode
 * 0600). Processes that start at the same time on a new folder all get the same key.
 */
export async function loadSecretKey(settings: Pick<Settings, 'secretKey' | 'dataDir'>): Promise<string> {
  if (settings.secretKey !== null) return settings.secretKey;
  const file = join(settings.dataDir, secretKeyFile);
  const existing = await readKey(file);
  if (existing !== null) return existing;
  await createKey(file).catch((cause: unknown) => {
    throw new StartError(
      `${file} cannot be written. Set DATA_DIR to a folder that this user can write to, or set SECRET_KEY.`,
      { isSetting: true, cause },
    );
  });
  const created = await readKey(file);
  if (created === null) throw new Error(`${file} disappeared while it was being created.`);
  return created;
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
    await link(draft, file).catch(ignoreErrno('EEXIST'));
  } finally {
    await handle.close();
    await unlink(draft);
  }
}

/** Whether the key is long enough to come from the hub or a careful operator. */
export function isUsableKey(key: string): boolean {
  return key.length >= keyBytes;
}

async function readKey(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(unreadable(file));
  if (text === undefined) return null;
  const key = text.trim();
  if (!isUsableKey(key))
    throw new StartError(
      `${file} contains no usable key. Restore it, or remove it to have a new one created.`,
    );
  return key;
}

/** Ignores a path that goes through a file. Creating the key reports it. */
function unreadable(file: string): (cause: NodeJS.ErrnoException) => undefined {
  return (cause) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw new StartError(
      `${file} cannot be read (${cause.code}). Let this user read it, or set SECRET_KEY.`,
      {
        isSetting: true,
        cause,
      },
    );
  };
}

function ignoreErrno(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
    return undefined;
  };
}
