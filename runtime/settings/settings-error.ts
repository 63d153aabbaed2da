/** Reports all wrong settings together, so that the operator can fix them in one go. */

import { StartError } from '../process/start-error.ts';

/** One wrong setting. `given` is null if the value is, or may contain, a secret. */
export interface SettingFault {
  readonly name: string;
  /** Completes the sentence "NAME must …". */
  readonly rule: string;
  readonly given: string | null;
}

/** Has every wrong setting. The message is for the operator's terminal. */
export class SettingsError extends StartError {
  override readonly name = 'SettingsError';
  readonly faults: readonly SettingFault[];

  /** @param inFile faults of lines of a file, as sentences */
  constructor(faults: readonly SettingFault[], inFile: readonly string[] = []) {
    const lines = [...faults.map(describe), ...inFile.map((fault) => `  ${fault}`)];
    super([headline(lines.length), ...lines].join('\n'), { isSetting: true });
    this.faults = faults;
  }
}

function headline(count: number): string {
  return count === 1 ? '1 setting is wrong:' : `${count} settings are wrong:`;
}

function describe({ name, rule, given }: SettingFault): string {
  const value = given === null ? 'value not shown, it may contain a secret' : `given: ${given}`;
  return `  ${name} must ${rule} (${value})`;
}
