/** Keeps a process up to date with the settings that are changed while the hub runs. */
import type { Database } from '#db/database.ts';
import { type StoredSettings, withStored } from '#runtime/settings/changeable-settings.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import { readStoredSettings, settingsTopic } from './change-setting.ts';

/** A change is promised within five seconds, for processes without signals and while Redis is away. */
const readEveryMs = 4_000;

export interface FollowedSettings {
  /** The settings at the start, with the stored values in their place. */
  readonly current: () => Settings;
  close(): void;
}

/**
 * Reads the stored values once, then at each signal of a change and from time to time. While the database is away, the
 * last values remain.
 */
export async function followSettings(
  db: Database,
  settings: Settings,
  logger: Logger,
  signals: Signals | null = null,
  everyMs = readEveryMs,
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
  let reading: Promise<void> | null = null;
  const readAgain = (): void => {
    reading ??= read()
      .catch((error: unknown) => logger.debug({ err: error }, 'the stored settings could not be read'))
      .finally(() => (reading = null));
  };
  const timer = setInterval(readAgain, everyMs);
  timer.unref();
  // A read that has begun may have missed the change.
  const leave = signals?.follow(settingsTopic, () => void Promise.resolve(reading).then(readAgain));
  const close = (): void => {
    clearInterval(timer);
    leave?.();
  };
  return { current: () => current, close };
}

function isSame(left: StoredSettings, right: StoredSettings): boolean {
  return left.size === right.size && [...left].every(([name, value]) => right.get(name) === value);
}
