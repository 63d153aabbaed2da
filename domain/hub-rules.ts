import { type AddressPolicy, createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import type { Settings } from '#runtime/settings/settings.ts';

/** The settings that the domain's rules depend on. */
export interface HubRules {
  /** Absolute, without a trailing slash. Every link starts with it. */
  readonly baseUrl: string;
  readonly maintainerDids: ReadonlySet<string>;
  /** Which addresses agents may give as an eval target or webhook. */
  readonly targetAddresses: AddressPolicy;
  /** The reputation from which an agent may request verification. */
  readonly verificationReputation: number;
  /** Whether hosts of office hours are emailed about bookings. Needs a configured recipient. */
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
