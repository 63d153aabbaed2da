import { lookup } from 'node:dns/promises';

/** Returns every address of a name, in the order to try them. Rejects as `node:dns` does. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * The operating system's resolver: hosts file and name servers. On Linux, Bun does this without blocking a
 * thread.
 */
export const systemResolveHost: ResolveHost = async (hostname) => {
  const records = await lookup(hostname, { all: true, order: 'verbatim' });
  return records.map((record) => record.address);
};
