/** The hub's own secret, which keys the hashes of client networks: given by the operator, or made once and kept. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from './settings.ts';
import { StartError } from '../process/start-error.ts';

/** In DATA_DIR. */
export const secretKeyFile = 'secret-key';
const keyBytes = 32;

/**
 * The operator's `SECRET_KEY`, or the one in `DATA_DIR/secret-key`, which is made on first use (mode 0600). Of several
 * processes that start at once on a fresh directory all get the same key.
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
  if (created === null) throw new Error(`${file} vanished while it was being made.`);
  return created;
}

/**
 * Writes the whole key under a name of its own and then links it into place: the link fails if another process was
 * first, and a crash in between never leaves half a key under the real name.
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

/** Whether it may be a key that was made here, or put here by an operator. */
export function isUsableKey(key: string): boolean {
  return key.length >= keyBytes;
}

async function readKey(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(unreadable(file));
  if (text === undefined) return null;
  const key = text.trim();
  if (!isUsableKey(key))
    throw new StartError(`${file} holds no usable key. Restore it, or remove it to have a new one made.`);
  return key;
}

/** A folder that is a file is told when the key is to be made. */
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
