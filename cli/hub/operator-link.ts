/** Asks a running hub for a link that signs a browser of the operator in. */
import { StartError } from '#runtime/process/start-error.ts';
import { findOperatorKey } from '#runtime/settings/load-operator-key.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { HubError } from '#client/hub-error.ts';
import { requireHub } from '../client/hub-refusal.ts';
import { commandEnvironment } from '../running-hub.ts';
import { processUrl } from './health.ts';
import type { Output } from './output.ts';

export async function showOperatorLink(output: Output): Promise<void> {
  const settings = parseSettings(commandEnvironment());
  const operatorKey = await findOperatorKey(settings);
  if (operatorKey === null) {
    throw new StartError(
      `There is no operator key in ${settings.dataDir}. Set DATA_DIR or OPERATOR_KEY to that of the running hub.`,
      { isSetting: true },
    );
  }
  const url = await requestOperatorLink(settings, operatorKey);
  output.result({ url }, [url, 'Open it in a browser. It works once, within an hour.']);
}

/** @throws HubRefusal, HubError */
export async function requestOperatorLink(
  settings: Pick<Settings, 'host' | 'port'>,
  operatorKey: string,
): Promise<string> {
  const hub = processUrl(settings);
  await requireHub(hub);
  const headers = { authorization: `Bearer ${operatorKey}` };
  const response = await fetch(`${hub}/admin/sign-in-links`, { method: 'POST', headers });
  const answer: unknown = await response.json();
  if (!response.ok) throw new HubError(response.status, answer);
  // The hub returns it.
  return (answer as { readonly url: string }).url;
}
