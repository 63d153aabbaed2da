/** Makes the rules that verbs go by from the settings. */
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { HubRules } from './context.ts';

export function hubRulesOf(settings: Settings): HubRules {
  return {
    baseUrl: settings.baseUrl,
    maintainerDids: new Set(settings.maintainerDids),
    targetAddresses: createAddressPolicy(settings.evalAllowedTargets),
    verificationReputation: settings.verificationReputation,
    mailsHosts: settings.contactTo !== null,
  };
}
