import type { Cluster } from 'ioredis';

/** Far longer than a client takes to close its connections. */
const stuckAfterMs = 2_000;

/**
 * Fixes three ways in which a Cluster client of ioredis stops for good. A worker would stop with it: BullMQ reconnects
 * the client on which a worker waits for jobs when no reply comes in time, for example during a failover.
 *
 * - Told to reconnect while it is connecting, it stays disconnected. It is connected again.
 * - The promise of `connect` is never settled if the Cluster is not ready at first, although the client tries again until
 *   it is. It is settled when the client is ready or closed.
 * - A connection that closes last moves it back to the status `close`, in which commands and BullMQ wait. It is closed or
 *   connected again, as it should be.
 *
 * @returns `cluster`
 */
export function keepReconnecting(cluster: Cluster): Cluster {
  const connect = cluster.connect.bind(cluster);
  const disconnect = cluster.disconnect.bind(cluster);
  const duplicate = cluster.duplicate.bind(cluster);
  const readyOrClosed = followConnecting(cluster);
  let isClosed = false;
  const connectIfStuck = (): void => {
    const isStuck = cluster.status === 'disconnecting' || cluster.status === 'close';
    if (isStuck && !isClosed) cluster.connect().catch(() => undefined);
  };
  cluster.connect = () => {
    isClosed = false;
    return Promise.race([connect(), readyOrClosed()]);
  };
  cluster.disconnect = (reconnect = false) => {
    isClosed = !reconnect;
    disconnect(reconnect);
    if (reconnect) setTimeout(connectIfStuck, stuckAfterMs).unref();
  };
  // ioredis gives the client its next status after this event.
  cluster.on('close', () => {
    process.nextTick(() => {
      if (cluster.status !== 'close') return;
      if (isClosed) markClosed(cluster);
      else setTimeout(connectIfStuck, stuckAfterMs).unref();
    });
  });
  cluster.duplicate = (...given: Parameters<typeof duplicate>) => keepReconnecting(duplicate(...given));
  return cluster;
}

/** @returns a function whose promise is resolved when the client is ready next, and rejected when it is closed first */
function followConnecting(cluster: Cluster): () => Promise<void> {
  // Shared by all attempts, because there may be thousands while Redis is down.
  let next = Promise.withResolvers<void>();
  const settle = (end: (settled: typeof next) => void): void => {
    const settled = next;
    next = Promise.withResolvers();
    settled.promise.catch(() => undefined);
    end(settled);
  };
  cluster.on('ready', () => settle(({ resolve }) => resolve()));
  cluster.on('end', () =>
    settle(({ reject }) => reject(new Error('The client was closed while connecting.'))),
  );
  return () => next.promise;
}

function markClosed(cluster: Cluster): void {
  cluster.status = 'end';
  cluster.emit('end');
}
