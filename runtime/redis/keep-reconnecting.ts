import type { Cluster } from 'ioredis';

/** Far longer than a client takes to close its connections. */
const stuckAfterMs = 2_000;

/**
 * Makes a Cluster client reconnect even if it is told to while it is still connecting. Otherwise ioredis stays
 * disconnected, and the client's commands wait forever. When no reply comes in time, for example during a failover,
 * BullMQ tells the client on which a worker waits for jobs to reconnect.
 *
 * @returns `cluster`
 */
export function keepReconnecting(cluster: Cluster): Cluster {
  const disconnect = cluster.disconnect.bind(cluster);
  const duplicate = cluster.duplicate.bind(cluster);
  let isClosed = false;
  cluster.disconnect = (reconnect = false): void => {
    isClosed = !reconnect;
    disconnect(reconnect);
    if (!reconnect) return;
    setTimeout(() => {
      if (cluster.status === 'disconnecting' && !isClosed) cluster.connect().catch(() => undefined);
    }, stuckAfterMs).unref();
  };
  cluster.duplicate = (...given: Parameters<typeof duplicate>) => keepReconnecting(duplicate(...given));
  return cluster;
}
