/** Connects to Redis. Clients follow masters after a failover. */
import {
  Cluster,
  Redis as SingleRedis,
  type RedisOptions,
  type SentinelConnectionOptions,
  SentinelConnector,
} from 'ioredis';
import { keepReconnecting } from './keep-reconnecting.ts';
import { type Host, readSeveral } from './redis-address.ts';

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
      return new SingleRedis({
        ...several.options,
        Connector: LastingSentinelConnector,
        sentinelCommandTimeout: sentinelTimeoutMs,
        // Leaves the old master as soon as a Sentinel announces a failover, even if the connection still looks healthy.
        failoverDetector: true,
        ...options,
      });
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
