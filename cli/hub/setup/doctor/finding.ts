/** What a check of an installation found, and what the checks share. */
import type { Settings } from '#runtime/settings/settings.ts';

export interface Installation {
  readonly settings: Settings;
  /** The `hub.env`; null if there is none. */
  readonly settingsFile: string | null;
  readonly operatorKey: string | null;
  /** When the hub was started; null if that is not known, as with several machines. */
  readonly runningSince: Date | null;
  /** Of this program. */
  readonly version: string;
}

export type Finding =
  | { readonly state: 'ok' | 'skipped'; readonly found: string }
  | {
      readonly state: 'fault';
      readonly found: string;
      readonly advice: string;
      /** The names of checks. If one of them finds a fault, this one follows from it, and is not another fault. */
      readonly follows: readonly string[];
    };

export interface Check {
  readonly name: string;
  /** The check of what this one works with, which comes before it. If that finds a fault, this one is skipped. */
  readonly needs?: string;
  run(installation: Installation): Promise<Finding>;
}

export const ok = (found: string): Finding => ({ state: 'ok', found });
export const skipped = (found: string): Finding => ({ state: 'skipped', found });
export const fault = (found: string, advice: string, follows: readonly string[] = []): Finding => ({
  state: 'fault',
  found,
  advice,
  follows,
});
