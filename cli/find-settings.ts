/**
 * Finds the settings of the hub that a command works on, so that nobody has to load them into a shell. The first of:
 * `hub.env` in DATA_DIR (`--data` sets it), in the current folder, in its `data/`, and of the system.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from '#runtime/process/start-error.ts';
import { variableNames } from '#runtime/settings/list-rules.ts';
import { type SettingFault, SettingsError } from '#runtime/settings/settings-error.ts';
import type { Environment } from '#runtime/settings/settings-reader.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { judgeSettingsFile, parseSettingsFile } from './settings-file.ts';

export const settingsFileName = 'hub.env';
export const systemDataFolder = '/var/lib/agent-hub';
const systemSettingsFolder = '/etc/agent-hub';

/** Passed on to child processes, which must not look again: their DATA_DIR comes from the file of their parent. */
const foundBefore = 'HUB_SETTINGS_FOUND';

export interface FoundSettings {
  /** An absolute path; null if there is no file. */
  readonly file: string | null;
  /** The settings in the file, with an absolute DATA_DIR; empty if there is no file. */
  readonly values: Environment;
}

export interface Places {
  readonly environment: Environment;
  readonly currentFolder: string;
  readonly systemFolders: readonly Place[];
  /** Whether a file of the system that this user may not read is passed over, as by commands that only call a hub. */
  readonly passesOver?: boolean;
}

interface Place {
  readonly folder: string;
  /** The data folder when the file names none. */
  readonly dataFolder: string;
  readonly isSystem: boolean;
}

const systemPlaces: readonly Place[] = [systemSettingsFolder, systemDataFolder].map((folder) => ({
  folder,
  dataFolder: systemDataFolder,
  isSystem: true,
}));

const nothing: FoundSettings = Object.freeze({ file: null, values: Object.freeze({}) });

function own(folder: string, dataFolder: string): Place {
  return { folder, dataFolder, isSystem: false };
}

/** @throws StartError if a file cannot be read */
export function findSettings({
  passesOver = false,
  environment = process.env,
  currentFolder = process.cwd(),
  systemFolders = systemPlaces,
}: Partial<Places> = {}): FoundSettings {
  const before = environment[foundBefore];
  if (before !== undefined) return { file: before === '' ? null : before, values: {} };
  const dataDir = environment['DATA_DIR']?.trim()
    ? resolve(currentFolder, environment['DATA_DIR'].trim())
    : null;
  const places = [
    ...(dataDir === null ? [] : [own(dataDir, dataDir)]),
    own(currentFolder, join(currentFolder, 'data')),
    own(join(currentFolder, 'data'), join(currentFolder, 'data')),
    ...systemFolders,
  ];
  for (const place of places) {
    const found = readPlace(place, passesOver);
    // A file elsewhere counts if it is about the named data folder.
    if (found !== null && (dataDir === null || found.values['DATA_DIR'] === dataDir)) return found;
  }
  return nothing;
}

function readPlace({ folder, dataFolder, isSystem }: Place, passesOver: boolean): FoundSettings | null {
  const file = join(folder, settingsFileName);
  try {
    const values = parseSettingsFile(readFileSync(file, 'utf8'));
    return {
      file,
      values: { ...values, DATA_DIR: resolve(dirname(file), values['DATA_DIR']?.trim() || dataFolder) },
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (isSystem && passesOver) return null;
    // A user that a service or an administrator has switched to may not enter the folder of the caller.
    if (!isSystem && !mayEnter(folder)) return null;
    throw new StartError(
      `${file} cannot be read (${String(code ?? error)}). Run the command as the user of the hub, or name another hub with --data or DATA_DIR.`,
      { isSetting: true, cause: error },
    );
  }
}

function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Completes the environment of a program of the hub, and of the processes that it starts.
 * @throws SettingsError with all that is wrong, if a line of the file is
 */
export function adoptSettings(): void {
  const isFirst = process.env[foundBefore] === undefined;
  const { file, values } = findSettings();
  for (const [name, value] of Object.entries(values))
    if (!process.env[name]?.trim()) process.env[name] = value;
  process.env[foundBefore] = file ?? '';
  if (isFirst && file !== null) refuseFaultyLines(file);
}

function refuseFaultyLines(file: string): void {
  const commandVariables = variableNames.parse(process.env['BACKUP_COMMAND_ENV'] ?? '') ?? [];
  const { faults, doubts } = judgeSettingsFile(file, commandVariables);
  for (const doubt of doubts) console.error(`Warning: ${doubt}`);
  if (faults.length > 0) throw new SettingsError(faultsOfValues(), faults);
}

function faultsOfValues(): readonly SettingFault[] {
  try {
    parseSettings(process.env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
}
