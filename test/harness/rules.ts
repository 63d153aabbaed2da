import { type HubRules, hubRulesOf } from '#domain/hub-rules.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { parseSettings } from '#runtime/settings/settings.ts';

/** The rules of a public hub whose operator has changed no other setting. No target is allowed. */
export function testRules<C extends Partial<HubRules>>(changes: C): HubRules & C {
  return {
    ...hubRulesOf(parseSettings({ BASE_URL: 'https://hub.test' })),
    identity: { name: 'Test Hub', description: 'A hub for tests.', isPrivate: false, rulesUrl: null },
    baseUrl: 'https://hub.test',
    maintainerDids: new Set<string>(),
    targetAddresses: createAddressPolicy([]),
    ...changes,
  };
}
