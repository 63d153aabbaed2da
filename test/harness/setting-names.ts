/** The names of all settings that the hub reads, as it reads them. */
import { parseSettings } from '#runtime/settings/settings.ts';

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
