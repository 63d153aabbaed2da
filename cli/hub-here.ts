/** Whether there is a hub where a command looks: one in the wrong folder finds no settings and, in `./data`, no hub. */
import { existsSync, readdirSync } from 'node:fs';
import type { Settings } from '#runtime/settings/settings.ts';
import { settingsFileName } from './find-settings.ts';
import type { HubOfCommand } from './running-hub.ts';

export interface Looked extends Pick<HubOfCommand, 'settingsFile' | 'runningSince'> {
  readonly settings: Pick<Settings, 'dataDir' | 'database'>;
}

/** @returns a sentence; null if there is a hub, or this user may not see */
export function whyNoHubHere({ settings, settingsFile, runningSince }: Looked): string | null {
  const { dataDir, database } = settings;
  const files = filesIn(dataDir);
  const hasStore = database.kind !== 'sqlite' || existsSync(database.file);
  if (files === null || files.length > 0 || hasStore || settingsFile !== null || runningSince !== null)
    return null;
  return `There is no hub here: no ${settingsFileName}, and nothing in ${dataDir}.`;
}

/** @returns null if this user may not see them */
export function filesIn(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES' ? null : [];
  }
}
