import { createAddressPolicy } from '../guarded-http/address-policy.ts';
import { operatorKeyFile } from './load-operator-key.ts';
import type { Settings } from './settings.ts';

type Decisive = Pick<
  Settings,
  | 'isPublic'
  | 'operatorKey'
  | 'database'
  | 'evalAllowedTargets'
  | 'registrationsPerMinute'
  | 'writesPerMinute'
  | 'readsPerMinute'
  | 'searchesPerMinute'
>;

/** The line that a hub prints at start: the decision, and what applies after explicit settings. */
export function describeExposure(settings: Decisive): string {
  const { registrationsPerMinute, writesPerMinute, readsPerMinute, searchesPerMinute } = settings;
  const limits = [registrationsPerMinute, writesPerMinute, readsPerMinute, searchesPerMinute];
  const on = limits.filter((limit) => limit > 0).length;
  const policy = createAddressPolicy(settings.evalAllowedTargets);
  return [
    `${settings.isPublic ? 'public' : 'private'} hub: rate limits ${on === 0 ? 'off' : on === limits.length ? 'on' : 'partly on'}`,
    `loopback targets ${policy.permits('127.0.0.1') || policy.permits('::1') ? 'allowed' : 'refused'}`,
    `operator pages ${describeOperatorPages(settings)}`,
  ].join(', ');
}

function describeOperatorPages({ operatorKey, database }: Decisive): string {
  if (operatorKey !== null) return 'open with OPERATOR_KEY';
  return database.kind === 'none'
    ? 'closed (OPERATOR_KEY is not set)'
    : `open with the key in DATA_DIR/${operatorKeyFile}`;
}
