/**
 * Runs a command on a disk of its own that can be filled: a file system in memory, mounted where only that command and its
 * children see it, and gone with the last of them. Needs no privileges where the system lets users have namespaces.
 */
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDiskOptions {
  readonly sizeMb: number;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface SmallDiskRun {
  readonly exitCode: number;
  /** What it said on both outputs. */
  readonly output: string;
}

/** Root may mount as it is; others in a namespace of users where they are root, and then go on as who they are. */
const isRoot = process.getuid?.() === 0;
const outer = isRoot ? ['unshare', '--mount'] : ['unshare', '--user', '--map-root-user', '--mount'];
const inner = isRoot
  ? []
  : ['unshare', '--user', `--map-user=${process.getuid?.()}`, `--map-group=${process.getgid?.()}`];
const mounting = 'mount -t tmpfs -o "size=$SMALL_DISK_MB"m,mode=1777 none "$TMPDIR" && exec "$@"';

/** The command finds the disk as its `TMPDIR`. */
export async function runOnSmallDisk({
  sizeMb,
  command,
  env,
  timeoutMs,
}: SmallDiskOptions): Promise<SmallDiskRun> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-disk-'));
  try {
    const child = Bun.spawn([...outer, 'sh', '-c', mounting, 'sh', ...inner, ...command], {
      env: { ...process.env, ...env, TMPDIR: folder, SMALL_DISK_MB: String(sizeMb) },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: timeoutMs,
    });
    const [exitCode, ...said] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { exitCode, output: said.join('') };
  } finally {
    await rmdir(folder);
  }
}

/** Whether this system lets us: some containers allow no mounts and no namespaces. */
export async function maySmallDisk(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const trial = { sizeMb: 1, command: ['true'], env: {}, timeoutMs: 10_000 };
  return (await runOnSmallDisk(trial).catch(() => ({ exitCode: 1 }))).exitCode === 0;
}
