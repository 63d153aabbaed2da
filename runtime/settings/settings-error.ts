/** What is wrong with the settings, told all at once, so that an operator mends them in one go. */

import { StartError } from '../process/start-error.ts';

/** One wrong setting. `given` is null when the value is, or may hold, a secret. */
export interface SettingFault {
  readonly name: string;
  /** Completes the sentence "NAME must …". */
  readonly rule: string;
  readonly given: string | null;
}

/** Thrown once by `parseSettings` with every fault; its message is written for the operator's terminal. */
export class SettingsError extends StartError {
  override readonly name = 'SettingsError';
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    super([headline(faults.length), ...faults.map(describe)].join('\n'), { isSetting: true });
    this.faults = faults;
  }
}

function headline(count: number): string {
  return count === 1 ? '1 setting is wrong:' : `${count} settings are wrong:`;
}

function describe({ name, rule, given }: SettingFault): string {
  const value = given === null ? 'the value given is not shown, it may hold a secret' : `given: ${given}`;
  return `  ${name} must ${rule} (${value})`;
}
