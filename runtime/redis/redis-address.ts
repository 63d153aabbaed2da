/**
 * The address of Redis: one server (a URL or the path of a socket), a master that Sentinels know by name, or a Cluster.
 */
import type { RedisOptions } from 'ioredis';

export interface Host {
  readonly host: string;
  readonly port: number;
}

type HostOptions = Omit<RedisOptions, 'replyMapping' | 'retryStrategy'>;

type Several =
  | {
      readonly kind: 'sentinel';
      readonly name: string;
      readonly hosts: string;
      readonly options: HostOptions;
    }
  | {
      readonly kind: 'cluster';
      readonly hosts: string;
      readonly nodes: Host[];
      readonly options: HostOptions;
    };

const severalForm =
  /^redis(s?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const masterForm = /^([\w.-]{1,100})(?:\/(\d{1,5}))?$/;
const hostForm = /^(?:\[([\da-f:.]+)\]|([a-z\d](?:[a-z\d.-]*[a-z\d])?))(?::(\d{1,5}))?$/i;
const portDefault = { sentinel: 26_379, cluster: 6_379 } as const;
const sentinelParameters = {
  sentinel_user: 'sentinelUsername',
  sentinel_password: 'sentinelPassword',
} as const;
const hostsMax = 50;
const portMax = 65_535;

/** Whether the address has one of the forms with several hosts, which `URL` cannot read. */
export function namesSeveralHosts(address: string): boolean {
  return readSeveral(address) !== null;
}

/**
 * @returns null unless `address` is of the form `redis+sentinel://user:password@host:port,host:port/name/db` or
 * `redis+cluster://user:password@host:port,host:port`
 */
export function readSeveral(address: string): Several | null {
  const [, secure, kind, credentials = '', list, path = '', query = ''] = severalForm.exec(address) ?? [];
  if ((kind !== 'sentinel' && kind !== 'cluster') || list === undefined) return null;
  const nodes = list.split(',').map((host) => readHost(host, portDefault[kind]));
  const account = readCredentials(credentials);
  if (account === null || nodes.length > hostsMax || !nodes.every((each) => each !== null)) return null;
  const isSecure = secure === 's';
  if (kind === 'cluster') {
    if (path !== '' || query !== '') return null;
    return { kind, hosts: list, nodes, options: { ...account, ...(isSecure ? { tls: {} } : {}) } };
  }
  const [, name, db] = masterForm.exec(path) ?? [];
  const sentinelAccount = readSentinelAccount(new URLSearchParams(query));
  if (name === undefined || sentinelAccount === null) return null;
  const options = {
    sentinels: nodes,
    name,
    db: Number(db ?? 0),
    ...account,
    ...sentinelAccount,
    ...(isSecure ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  };
  return { kind, hosts: list, name, options };
}

/** The servers of an address for messages, without user and password. */
export function describeRedis(address: string): string {
  if (address.startsWith('/')) return address;
  const several = readSeveral(address);
  if (several?.kind === 'sentinel') return `the master ${several.name} of the Sentinels ${several.hosts}`;
  if (several?.kind === 'cluster') return `the Cluster of ${several.hosts}`;
  const { hostname, port } = new URL(address);
  return `${hostname}:${port || '6379'}`;
}

function readHost(text: string, defaultPort: number): Host | null {
  const [, address, name, port] = hostForm.exec(text) ?? [];
  const host = address ?? name;
  const number = Number(port ?? defaultPort);
  return host === undefined || number < 1 || number > portMax ? null : { host, port: number };
}

function readCredentials(text: string): { username?: string; password?: string } | null {
  if (text === '') return {};
  const [user = '', ...rest] = text.split(':');
  try {
    const username = decodeURIComponent(user);
    const password = decodeURIComponent(rest.join(':'));
    return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) };
  } catch {
    return null;
  }
}

function readSentinelAccount(
  parameters: URLSearchParams,
): Pick<RedisOptions, 'sentinelUsername' | 'sentinelPassword'> | null {
  const account: Pick<RedisOptions, 'sentinelUsername' | 'sentinelPassword'> = {};
  for (const [name, value] of parameters) {
    if (name !== 'sentinel_user' && name !== 'sentinel_password') return null;
    account[sentinelParameters[name]] = value;
  }
  return account;
}
