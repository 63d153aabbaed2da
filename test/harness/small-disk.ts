/**
 * Runs a command on a small disk: a file system in memory, visible only to the command and its children, that
 * disappears with the last of them. It needs no privileges if the system allows user namespaces.
 */
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

interface SmallDiskOptions {
  readonly sizeMb: number;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Root can mount directly. Others mount in a user namespace and then return to their own user id. */
const isRoot = process.getuid?.() === 0;
const outer = isRoot ? ['unshare', '--mount'] : ['unshare', '--user', '--map-root-user', '--mount'];
const inner = isRoot
  ? []
  : ['unshare', '--user', `--map-user=${process.getuid?.()}`, `--map-group=${process.getgid?.()}`];
const mounting = 'mount -t tmpfs -o "size=$SMALL_DISK_MB"m,mode=1777 none "$TMPDIR" && exec "$@"';

/** `TMPDIR` of the command is the disk. */
export async function runOnSmallDisk({ sizeMb, command, env, timeoutMs }: SmallDiskOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-disk-'));
  try {
    const words = [...outer, 'sh', '-c', mounting, 'sh', ...inner, ...command];
    const { exitCode, printed, complaints } = await runProgram(words, {
      env: { ...process.env, ...env, TMPDIR: folder, SMALL_DISK_MB: String(sizeMb) },
      timeout: timeoutMs,
    });
    return { exitCode, /** Of both streams. */ output: printed + complaints };
  } finally {
    await rmdir(folder);
  }
}

/** Some containers allow neither mounts nor namespaces. */
export async function maySmallDisk(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const trial = { sizeMb: 1, command: ['true'], env: {}, timeoutMs: 10_000 };
  return (await runOnSmallDisk(trial).catch(() => ({ exitCode: 1 }))).exitCode === 0;
}
