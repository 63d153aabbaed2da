/** The settings of scheduled backups. */
import { join } from 'node:path';
import { variableNames } from './list-rules.ts';
import { folderPath, textLine } from './rules.ts';
import type { SettingRule, SettingsReader } from './settings-reader.ts';

export interface BackupSettings {
  /** Null: off. */
  readonly everyMs: number | null;
  readonly keep: BackupKeep;
  /** An absolute path. */
  readonly folder: string;
  /** A shell command that passes a backup on; null if there is none. */
  readonly command: string | null;
  /** The variables that the command gets besides those of every login; `RESTIC_*` stands for all that begin so. */
  readonly commandVariables: readonly string[];
}

/** All backups of the last hours, then one a day, then one a week. */
export interface BackupKeep {
  readonly hours: number;
  readonly days: number;
  readonly weeks: number;
}

/** @param commandVariables as in `BackupSettings` */
export function isPassedOn(variable: string, commandVariables: readonly string[]): boolean {
  return commandVariables.some((name) =>
    name.endsWith('*') ? variable.startsWith(name.slice(0, -1)) : variable === name,
  );
}

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const everyMs = { least: 10_000, most: 30 * unitsMs.d };
const keptMost = { hours: 720, days: 366, weeks: 520 };
const commandMax = 1_000;

const backupEvery: SettingRule<number | null> = {
  rule: 'be a time from 10s to 30d, such as 6h or 30m, or off',
  parse: (text) => {
    if (text === 'off') return null;
    const [, number = '', unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
    if (number === '') return undefined;
    // The pattern allows only these letters.
    const ms = Number(number) * unitsMs[unit as keyof typeof unitsMs];
    return ms >= everyMs.least && ms <= everyMs.most ? ms : undefined;
  },
};

const backupKeep: SettingRule<BackupKeep> = {
  rule: `be hours, days and weeks such as 24h:7d:8w, at most ${keptMost.hours}h:${keptMost.days}d:${keptMost.weeks}w`,
  parse: (text) => {
    const found = /^(\d{1,4})h:(\d{1,4})d:(\d{1,4})w$/.exec(text);
    if (found === null) return undefined;
    const [hours = 0, days = 0, weeks = 0] = found.slice(1).map(Number);
    const fits = hours <= keptMost.hours && days <= keptMost.days && weeks <= keptMost.weeks;
    return fits ? Object.freeze({ hours, days, weeks }) : undefined;
  },
};

const defaultEveryMs = 6 * unitsMs.h;
const defaultKeep: BackupKeep = Object.freeze({ hours: 24, days: 7, weeks: 8 });

/**
 * On Postgres backups are off unless BACKUP_EVERY is set: its processes often run in containers, whose folders vanish
 * with them.
 */
export function readBackups(
  reader: SettingsReader,
  { dataDir, onPostgres }: { readonly dataDir: string; readonly onPostgres: boolean },
): BackupSettings {
  return Object.freeze({
    everyMs: reader.read('BACKUP_EVERY', onPostgres ? null : defaultEveryMs, backupEvery),
    keep: reader.read('BACKUP_KEEP', defaultKeep, backupKeep),
    folder: reader.read('BACKUP_DIR', join(dataDir, 'backups'), folderPath),
    command: reader.read('BACKUP_COMMAND', null, textLine(commandMax)),
    commandVariables: reader.read('BACKUP_COMMAND_ENV', [], variableNames),
  });
}
