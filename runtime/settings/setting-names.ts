/** The names of all settings, recorded while the hub parses them. */
import { parseSettings } from './settings.ts';

/** Every name that `parseSettings` reads. */
export function settingNames(): ReadonlySet<string> {
  const read = new Set<string>();
  parseSettings(
    new Proxy(
      {},
      {
        get: (_, name) => {
          read.add(String(name));
          return undefined;
        },
      },
    ),
  );
  return read;
}
