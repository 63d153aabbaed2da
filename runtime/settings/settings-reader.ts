/** Takes values out of the environment one by one and collects every fault instead of stopping at the first. */
import type { SettingFault } from './settings-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** How one setting is read. */
export interface SettingRule<T> {
  /** Completes the sentence "NAME must …". */
  readonly rule: string;
  /** Gives the typed value, or undefined when the text breaks the rule. */
  readonly parse: (text: string) => T | undefined;
  /** A secret's value never reaches a message. */
  readonly secret?: boolean;
}

const maxShownLength = 100;

export class SettingsReader {
  readonly faults: SettingFault[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Whether the variable is there at all, even if empty. */
  has(name: string): boolean {
    return this.#environment[name] !== undefined;
  }

  /**
   * Reads one setting. An empty or blank variable counts as not set, as compose files and shells produce them by the
   * dozen. After a fault the fallback stands in, so that the remaining settings can still be checked.
   */
  read<T, F>(name: string, fallback: F, { rule, parse, secret = false }: SettingRule<T>): T | F {
    const text = this.#environment[name]?.trim();
    if (text === undefined || text === '') return fallback;
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
