/** Keeps a process up to date with the settings that are changed while the hub runs. */
import type { Database } from '#db/database.ts';
import { type StoredSettings, withStored } from '#runtime/settings/changeable-settings.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { readStoredSettings } from './change-setting.ts';

/** A change is promised within five seconds. */
const readEveryMs = 4_000;

export interface FollowedSettings {
  /** The settings at the start, with the stored values in their place. */
  readonly current: () => Settings;
  close(): void;
}

/** Reads the stored values once, then again and again. While the database is away, the last values remain. */
export async function followSettings(
  db: Database,
  settings: Settings,
  logger: Logger,
): Promise<FollowedSettings> {
  let known: StoredSettings = new Map();
  let current = settings;
  const read = async (): Promise<void> => {
    const stored = await readStoredSettings(db);
    if (isSame(stored, known)) return;
    const changed = [...new Set([...stored.keys(), ...known.keys()])].filter(
      (name) => stored.get(name) !== known.get(name),
    );
    known = stored;
    current = withStored(settings, stored);
    logger.info({ settings: changed }, 'settings follow the database');
  };
  await read();
  let isReading = false;
  const timer = setInterval(() => {
    if (isReading) return;
    isReading = true;
    read()
      .catch((error: unknown) => logger.debug({ err: error }, 'the stored settings could not be read'))
      .finally(() => (isReading = false));
  }, readEveryMs);
  timer.unref();
  return { current: () => current, close: () => clearInterval(timer) };
}

function isSame(left: StoredSettings, right: StoredSettings): boolean {
  return left.size === right.size && [...left].every(([name, value]) => right.get(name) === value);
}
