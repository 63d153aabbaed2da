/**
 * The settings that an operator changes while the hub runs. A value that is stored in the database wins over the environment
 * and `hub.env`.
 */
import { SettingsError } from './settings-error.ts';
import { parseSettings, type Settings } from './settings.ts';

/** By name: the field of `Settings`. */
export const changeableSettings = {
  EVAL_RUN_COST: 'evalRunCostTokens',
  AGENT_RUN_COST: 'agentRunCostTokens',
  SUITE_RUN_REPLIES_PER_TOKEN: 'suiteRunRepliesPerToken',
  ALLOWANCE_TOKENS: 'allowanceTokens',
  ALLOWANCE_DAYS: 'allowanceDays',
  VERIFICATION_REPUTATION: 'verificationReputation',
} as const satisfies Record<string, keyof Settings>;

export type ChangeableSetting = keyof typeof changeableSettings;
export type ChangeableSettings = Pick<Settings, (typeof changeableSettings)[ChangeableSetting]>;
/** The settings that may change while the hub runs, and the maintainers. */
export type CurrentSettings = ChangeableSettings & Pick<Settings, 'maintainerDids'>;

// The keys of the object are those of its type.
export const changeableNames = Object.keys(changeableSettings) as readonly ChangeableSetting[];

export function isChangeable(name: string): name is ChangeableSetting {
  return Object.hasOwn(changeableSettings, name);
}

/** Stored values by name, among them those of `maintainerSetting`. */
export type StoredSettings = ReadonlyMap<string, string>;

const maintainerPrefix = 'maintainer ';

/** The name under which it is stored whether the agent with this `did` is a maintainer, which wins over MAINTAINER_DIDS. */
export function maintainerSetting(did: string): string {
  return `${maintainerPrefix}${did}`;
}

/** The `did` in a name of `maintainerSetting`; null for other settings. */
export function maintainerNamedBy(name: string): string | null {
  return name.startsWith(maintainerPrefix) ? name.slice(maintainerPrefix.length) : null;
}

function withStoredMaintainers(named: readonly string[], stored: StoredSettings): readonly string[] {
  const dids = new Set(named);
  for (const [name, value] of stored) {
    const did = maintainerNamedBy(name);
    if (did === null) continue;
    if (value === 'yes') dids.add(did);
    else dids.delete(did);
  }
  return Object.freeze([...dids]);
}

/** @returns what is wrong with the value, as the end of "NAME must …"; null if nothing is */
export function faultOfValue(name: ChangeableSetting, value: string): string | null {
  try {
    parseSettings({ [name]: value });
    return null;
  } catch (error) {
    if (error instanceof SettingsError) return error.faults[0]?.rule ?? 'have another value';
    throw error;
  }
}

/**
 * Returns the settings with the stored values in their place. A value that this version
 * does not understand, because another one stored it, has no effect.
 */
export function withStored(settings: Settings, stored: StoredSettings): Settings {
  const valid = [...stored].filter(
    ([name, value]) => isChangeable(name) && faultOfValue(name, value) === null,
  );
  const parsed = parseSettings(Object.fromEntries(valid));
  const changed = Object.fromEntries(
    valid.flatMap(([name]) =>
      isChangeable(name) ? [[changeableSettings[name], parsed[changeableSettings[name]]]] : [],
    ),
  );
  return Object.freeze({
    ...settings,
    ...changed,
    maintainerDids: withStoredMaintainers(settings.maintainerDids, stored),
  });
}
