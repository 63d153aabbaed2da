/**
 * The address of Redis: one server (a URL or the path of a socket), a master that Sentinels know by name, or a Cluster.
 * Clients follow masters after a failover.
 */
import {
  Cluster,
  Redis as SingleRedis,
  type RedisOptions,
  type SentinelConnectionOptions,
  SentinelConnector,
} from 'ioredis';
import { keepReconnecting } from './keep-reconnecting.ts';

/** A connection to a server, or to all masters of a Cluster. */
export type Redis = SingleRedis | Cluster;

/** Map replies arrive as flat arrays, which BullMQ expects. */
export type ConnectionOptions = Omit<RedisOptions, 'retryStrategy'> & {
  readonly replyMapping?: 'legacy';
  readonly retryStrategy: (tries: number) => number | null;
};

/**
 * Stops listening to the Sentinels of the previous connection before it asks for the master. Otherwise ioredis closes the
 * client for good if they announce a failover before the first of them responds.
 */
class LastingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    // ioredis passes the options of the client, which include those of the Sentinels.
    super(options as SentinelConnectionOptions);
  }

  override connect(...given: Parameters<SentinelConnector['connect']>) {
    this.disconnect();
    return super.connect(...given);
  }
}

interface Host {
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

/** After this time, the client asks the next Sentinel. */
const sentinelTimeoutMs = 2_000;
/** How often a command to a master that has just failed is retried, every 100 ms. */
const clusterTries = { failSoon: 5, wait: 300 } as const;
/** How soon a client learns of a failover without sending a command, e.g. while it only waits. */
const slotsRefreshMs = { interval: 1_000, timeout: 2_000 };

/** Connects to a server, to the master that the Sentinels name, or to all masters of the Cluster. */
export function createRedis(address: string, options: ConnectionOptions): Redis {
  const several = readSeveral(address);
  if (several === null) return new SingleRedis(address, options);
  switch (several.kind) {
    case 'sentinel':
      return new SingleRedis({ ...several.options, ...options });
    case 'cluster':
      return createCluster(several.nodes, { ...several.options, ...options });
  }
}

function createCluster(nodes: Host[], options: ConnectionOptions): Cluster {
  const { retryStrategy, enableOfflineQueue = true, lazyConnect = false, ...redisOptions } = options;
  const cluster = new Cluster(nodes, {
    enableOfflineQueue,
    lazyConnect,
    clusterRetryStrategy: retryStrategy,
    maxRedirections: options.maxRetriesPerRequest === null ? clusterTries.wait : clusterTries.failSoon,
    slotsRefreshInterval: slotsRefreshMs.interval,
    slotsRefreshTimeout: slotsRefreshMs.timeout,
    // Certificates contain host names.
    dnsLookup: (name, callback) => callback(null, name),
    redisOptions,
  });
  return keepReconnecting(cluster);
}

/** Whether the address has one of the forms with several hosts, which `URL` cannot read. */
export function namesSeveralHosts(address: string): boolean {
  return readSeveral(address) !== null;
}

/**
 * @returns null unless `address` is of the form `redis+sentinel://user:password@host:port,host:port/name/db` or
 * `redis+cluster://user:password@host:port,host:port`
 */
function readSeveral(address: string): Several | null {
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
    Connector: LastingSentinelConnector,
    sentinelCommandTimeout: sentinelTimeoutMs,
    // Leaves the old master as soon as a Sentinel announces a failover, even if the connection still looks healthy.
    failoverDetector: true,
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
