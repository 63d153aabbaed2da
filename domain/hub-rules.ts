/** Makes the rules that verbs go by from the settings. */
import { type AddressPolicy, createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import type { Settings } from '#runtime/settings/settings.ts';

/** The settings that the rules of the hub depend on. */
export interface HubRules {
  /** Absolute, without a trailing slash; used in every link. */
  readonly baseUrl: string;
  readonly maintainerDids: ReadonlySet<string>;
  /** Which addresses an agent's URL may name. */
  readonly targetAddresses: AddressPolicy;
  /** From so much reputation on, an agent may ask to be verified. */
  readonly verificationReputation: number;
  /** Whether hosts of office hours are told of bookings by mail: an address to send it to is configured. */
  readonly mailsHosts: boolean;
}

export function hubRulesOf(settings: Settings): HubRules {
  return {
    baseUrl: settings.baseUrl,
    maintainerDids: new Set(settings.maintainerDids),
    targetAddresses: createAddressPolicy(settings.evalAllowedTargets),
    verificationReputation: settings.verificationReputation,
    mailsHosts: settings.contactTo !== null,
  };
}
