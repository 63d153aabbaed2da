/** Reads settings from the environment one by one and collects all errors. */
import type { SettingFault } from './settings-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingRule<T> {
  /** Completes the sentence "NAME must …". */
  readonly rule: string;
  /** Returns the typed value, or undefined if the text breaks the rule. */
  readonly parse: (text: string) => T | undefined;
  /** The value of a secret never appears in a message. */
  readonly secret?: boolean;
}

const maxShownLength = 100;
/** In the values of the example files, which everybody knows. */
const placeholder = /change-?me/i;

export class SettingsReader {
  readonly faults: SettingFault[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Whether the variable exists, even if empty. */
  has(name: string): boolean {
    return this.#environment[name] !== undefined;
  }

  /**
   * Reads one setting. An empty or blank variable counts as unset, because compose files and shells often
   * produce them. After an error it returns the fallback, so that the remaining settings are checked too.
   */
  read<T, F>(name: string, fallback: F, { rule, parse, secret = false }: SettingRule<T>): T | F {
    const text = this.#environment[name]?.trim();
    if (text === undefined || text === '') return fallback;
    if (secret && placeholder.test(text)) {
      const replaced =
        'be replaced by a value of your own; it still contains the placeholder of the example files';
      this.faults.push({ name, rule: replaced, given: null });
      return fallback;
    }
    const value = parse(text);
    if (value !== undefined) return value;
    this.faults.push({ name, rule, given: secret || mayHoldPassword(text) ? null : shown(text) });
    return fallback;
  }
}

function mayHoldPassword(text: string): boolean {
  return text.includes('@') && text.includes('//');
}

function shown(text: string): string {
  const cut = text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
  return JSON.stringify(cut);
}
