/** The folder for the temporary files of a test run. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '#runtime/process/is-alive.ts';

/** A file system in memory, where a commit needs a tenth of the processor time. */
export const memory = '/dev/shm';
/** A complete run uses less than half of each. */
const neededBytes = { folder: 4 * 2 ** 30, processes: 8 * 2 ** 30 };
const prefix = 'hub-test-';

/**
 * The caller removes it.
 * @param wanted where to make it; by default in memory if there is room
 */
export function makeRunFolder(wanted = process.env['TMPDIR']): string {
  if (wanted) return makeFolder(wanted);
  if (!hasRoom(memory)) return makeFolder(tmpdir());
  removeLeftovers();
  const folder = makeFolder(memory);
  if (runsPrograms(folder)) return folder;
  rmSync(folder, { recursive: true });
  return makeFolder(tmpdir());
}

function makeFolder(parent: string): string {
  // Socket paths have a length limit, so the name is short.
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  // Others may enter, because Postgres runs as another user.
  chmodSync(folder, 0o711);
  return folder;
}

export function hasRoom(folder: string): boolean {
  if (!existsSync(folder) || process.availableMemory() < neededBytes.processes) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= neededBytes.folder;
}

/** A killed run leaves its folder behind, which would occupy memory until the machine restarts. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(memory, name), { recursive: true, force: true });
  }
}

/** Some containers mount it without permission to run programs, which the tests need. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'try');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
