/** Asks a running hub for a link that signs a browser of the operator in. */
import { StartError } from '#runtime/process/start-error.ts';
import { findOperatorKey } from '#runtime/settings/load-operator-key.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { createHubClient } from '../client/hub-client.ts';
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

/** @throws HubRefusal */
export async function requestOperatorLink(
  settings: Pick<Settings, 'host' | 'port'>,
  operatorKey: string,
): Promise<string> {
  const hub = createHubClient(processUrl(settings), operatorKey);
  return (await hub.post<{ url: string }>('/admin/sign-in-links')).url;
}
