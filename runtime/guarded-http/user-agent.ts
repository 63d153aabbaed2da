import packageJson from '../../package.json' with { type: 'json' };
import type { Settings } from '#runtime/settings/settings.ts';

/** The page that explains the hub's calls, and how to stop them. */
export const callsPagePath = '/calls';

/** Names the hub to the servers that it calls. */
export function userAgentOf({ baseUrl }: Pick<Settings, 'baseUrl'>): string {
  return `agent-hub/${packageJson.version} (+${baseUrl}${callsPagePath})`;
}
