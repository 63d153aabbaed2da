/** The files of scheduled backups: their names, which hold the time, and which of them stay. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupKeep } from '#runtime/settings/backup-settings.ts';

export interface BackupFile {
  readonly file: string;
  readonly madeAt: Date;
  readonly bytes: number;
}

const namePattern = /^hub-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.sqlite$/;

/** To the second, and without colons, which some file systems refuse. */
export function backupName(madeAt: Date): string {
  return `hub-${madeAt.toISOString().slice(0, 19).replaceAll(':', '-')}Z.sqlite`;
}

/** The backups in a folder, newest first. Other files are left out; a missing folder has none. */
export function listBackupFiles(folder: string): readonly BackupFile[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, day, hours, minutes, seconds] = namePattern.exec(name) ?? [];
      if (day === undefined) return [];
      const madeAt = new Date(`${day}T${hours}:${minutes}:${seconds}Z`);
      const file = join(folder, name);
      const stat = statSync(file, { throwIfNoEntry: false });
      return Number.isNaN(madeAt.getTime()) || stat === undefined ? [] : [{ file, madeAt, bytes: stat.size }];
    })
    .toSorted((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** @returns the newest backup made at `at` or before; the newest of all for null; null if there is none */
export function findBackupFile(folder: string, at: Date | null): BackupFile | null {
  return listBackupFiles(folder).find(({ madeAt }) => at === null || madeAt <= at) ?? null;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/**
 * Chooses the backups that may be deleted. All of the last hours stay, then the newest of each day, then the newest of
 * each week, by UTC. The newest of all stays.
 *
 * @param times newest first
 */
export function chooseSurplus(times: readonly Date[], keep: BackupKeep, now: Date): readonly Date[] {
  const kept = new Set<string>();
  return times.filter((time, index) => {
    const at = time.getTime();
    const ageMs = now.getTime() - at;
    if (index === 0 || ageMs < keep.hours * hourMs) return false;
    const days = ageMs < keep.days * dayMs ? [`day ${Math.floor(at / dayMs)}`] : [];
    const weeks = ageMs < keep.weeks * weekMs ? [`week ${Math.floor(at / weekMs)}`] : [];
    const places = [...days, ...weeks].filter((place) => !kept.has(place));
    for (const place of places) kept.add(place);
    return places.length === 0;
  });
}

/** A draft of this age belongs to a process that was killed. */
const draftMaxMs = dayMs;
const draftPattern = /^hub-[\dTZ-]+\.sqlite\.\d+\.part/;

/** Deletes what the rule does not keep, and the drafts of killed processes. */
export function thinBackups(folder: string, keep: BackupKeep, now: Date): void {
  const files = listBackupFiles(folder);
  const times = files.map(({ madeAt }) => madeAt);
  const surplus = new Set(chooseSurplus(times, keep, now));
  for (const { file, madeAt } of files) if (surplus.has(madeAt)) rmSync(file, { force: true });
  for (const name of namesIn(folder).filter((one) => draftPattern.test(one))) {
    const file = join(folder, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && now.getTime() - stat.mtimeMs > draftMaxMs) rmSync(file, { force: true });
  }
}
