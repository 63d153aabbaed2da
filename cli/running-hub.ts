/**
 * The settings of the hub that runs on a data folder. `hub start` notes them there, so that commands in another shell find
 * its port, its stores and its maintainers without being told.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defaultSqliteFile } from '#runtime/settings/rules.ts';
import { isAlive, statusOf } from '#runtime/process/is-alive.ts';
import type { Environment } from '#runtime/settings/settings-reader.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { findSettings } from './find-settings.ts';

/** In DATA_DIR. */
const noteFile = 'running.json';
const ownerOnly = 0o600;
/** Settings that no command needs are not written to disk. The operator key is: the data folder holds one anyway. */
const leftOut = new Set([
  'SECRET_KEY',
  'SMTP_URL',
  'INBOX_KEY',
  'INBOUND_MAIL_SECRET',
  'PAYMENTS_WEBHOOK_SECRET',
  'CHECKOUT_ACCESS_TOKEN',
  'BACKUP_COMMAND',
]);

interface Note {
  /** Of the supervisor. */
  readonly pid: number;
  /** Tells it from another process with its id, such as the first one of the next container; null without `/proc`. */
  readonly startTicks: string | null;
  readonly startedAt: string;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Notes the settings until the hub stops.
 * @returns removes the note. A folder that cannot be written to gets none.
 */
export function noteRunningHub(settings: Settings): () => void {
  const file = join(settings.dataDir, noteFile);
  try {
    rmSync(file, { force: true });
    const note: Note = {
      pid: process.pid,
      startTicks: startTicksOf(process.pid),
      startedAt: new Date().toISOString(),
      settings: settingsToNote(settings),
    };
    writeFileSync(file, `${JSON.stringify(note, null, 2)}\n`, { mode: ownerOnly });
  } catch {
    return () => undefined;
  }
  return () => rmSync(file, { force: true });
}

/** Paths are absolute, because commands may run in another folder. */
function settingsToNote({ port, dataDir, backups, database }: Settings): Note['settings'] {
  const given: Record<string, string> = {};
  parseSettings(
    new Proxy(process.env, {
      get: (environment, name) => {
        const value = environment[String(name)];
        if (value !== undefined && !leftOut.has(String(name))) given[String(name)] = value;
        return value;
      },
    }),
  );
  return {
    ...given,
    PORT: String(port),
    DATA_DIR: dataDir,
    BACKUP_DIR: backups.folder,
    ...(database.kind === 'sqlite' ? { DATABASE_URL: sqliteUrl(database.file, dataDir) } : {}),
  };
}

/** A data folder may have characters that an address may not have. */
function sqliteUrl(file: string, dataDir: string): string {
  return file === defaultSqliteFile(dataDir) ? 'sqlite:' : `sqlite:${file}`;
}

/** The environment for commands: that of this process, completed by the hub that runs on the data folder, and its file. */
export function commandEnvironment(): Environment {
  return hubOfCommand().environment;
}

export interface HubOfCommand {
  readonly environment: Environment;
  /** The `hub.env` that was found; null if there is none. */
  readonly settingsFile: string | null;
  /** When the hub was started that runs on the data folder under its supervisor; null if none does. */
  readonly runningSince: Date | null;
  /** Null if nothing names it, so that it is `./data`. */
  readonly namedDataFolder: string | null;
}

/** @param passesOver whether a file of the system that this user may not read is passed over */
export function hubOfCommand(passesOver = false): HubOfCommand {
  const { file, values } = findSettings({ passesOver });
  const own = Object.entries(process.env).filter(
    ([name, value]) => value?.trim() !== '' && !(name === 'PORT' && value === '0'),
  );
  const given: Environment = { ...values, ...Object.fromEntries(own) };
  const namedDataFolder = given['DATA_DIR']?.trim() || null;
  const note = readNote(resolve(namedDataFolder ?? './data'));
  return {
    environment: { ...values, ...note?.settings, ...Object.fromEntries(own) },
    settingsFile: file,
    runningSince: note === null ? null : new Date(note.startedAt),
    namedDataFolder,
  };
}

function readNote(dataDir: string): Note | null {
  try {
    const file = join(dataDir, noteFile);
    // `noteRunningHub` has written it.
    const note = JSON.parse(readFileSync(file, 'utf8')) as Note;
    // A killed hub leaves its note behind.
    const { pid, startTicks } = note;
    return isAlive(pid) && pid !== process.pid && startTicks === startTicksOf(pid) ? note : null;
  } catch {
    return null;
  }
}

/** When it was started, in clock ticks since the machine was. */
function startTicksOf(pid: number): string | null {
  return statusOf(pid)?.[19] ?? null;
}
