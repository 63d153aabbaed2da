/** The files of scheduled backups: their names, which hold the time, and which of them stay. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { clocksDifferMaxMs } from '#runtime/clock.ts';
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

/** @returns the newest backup made at `at` or before; null if there is none */
export function findBackupFile(folder: string, at: Date): BackupFile | null {
  return listBackupFiles(folder).find(({ madeAt }) => madeAt <= at) ?? null;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** @returns the newest backup that is not of the future; the newest of all if each is; null if there is none */
export function latestBackupFile(folder: string, now: Date): BackupFile | null {
  const files = listBackupFiles(folder);
  return (
    files.find(({ madeAt }) => madeAt.getTime() <= now.getTime() + clocksDifferMaxMs) ?? files[0] ?? null
  );
}

export interface ThinningRule {
  readonly keep: BackupKeep;
  /** How often backups are made. */
  readonly everyMs: number;
  readonly now: Date;
}

/**
 * Chooses the backups that may be deleted. All of the last hours stay, then the newest of each day, then the newest of
 * each week, by UTC. The newest of all stays.
 *
 * Days and weeks are counted, not measured: a day or a week without a backup does not count. So a clock that jumps
 * ahead deletes no more than another backup does. Backups of the future stay and count for nothing.
 *
 * @param times newest first
 */
export function chooseSurplus(times: readonly Date[], { keep, everyMs, now }: ThinningRule): readonly Date[] {
  const recentCount = Math.max(1, Math.ceil((keep.hours * hourMs) / everyMs));
  const days = new Set<number>();
  const weeks = new Set<number>();
  return times
    .filter((time) => time <= now)
    .filter((time, index) => {
      const at = time.getTime();
      if (index < recentCount || now.getTime() - at < keep.hours * hourMs) return false;
      const isOfDay = takePlace(days, Math.floor(at / dayMs), keep.days);
      const isOfWeek = takePlace(weeks, Math.floor(at / weekMs), keep.weeks);
      return !isOfDay && !isOfWeek;
    });
}

/** @returns whether the place was free and there are fewer than `most` */
function takePlace(taken: Set<number>, place: number, most: number): boolean {
  if (taken.has(place) || taken.size >= most) return false;
  taken.add(place);
  return true;
}

/** A draft of this age belongs to a process that was killed. */
const draftMaxMs = dayMs;
const draftPattern = /^hub-[\dTZ-]+\.sqlite\.\d+\.part/;

/** Deletes what the rule does not keep, and the drafts of killed processes. */
export function thinBackups(folder: string, rule: ThinningRule): void {
  const files = listBackupFiles(folder);
  const times = files.map(({ madeAt }) => madeAt);
  const surplus = new Set(chooseSurplus(times, rule));
  for (const { file, madeAt } of files) if (surplus.has(madeAt)) rmSync(file, { force: true });
  for (const name of namesIn(folder).filter((one) => draftPattern.test(one))) {
    const file = join(folder, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && rule.now.getTime() - stat.mtimeMs > draftMaxMs) rmSync(file, { force: true });
  }
}
