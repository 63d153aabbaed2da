import type { Cluster } from 'ioredis';

/** Far longer than a client takes to close its connections. */
const stuckAfterMs = 2_000;

/**
 * Fixes three ways in which a Cluster client of ioredis stops for good. A worker would stop with it: BullMQ reconnects
 * the client on which a worker waits for jobs when no reply comes in time, for example during a failover.
 *
 * - A client that is told to reconnect while it is connecting stays disconnected. The fix connects it again.
 * - The promise of `connect` never settles if the Cluster is not ready at first, although the client keeps trying. The fix
 *   settles it when the client is ready or closed.
 * - A connection that closes late moves the client back to the status `close`, in which commands and BullMQ wait. The fix
 *   ends the client if it was closed, and otherwise connects it again.
 *
 * @returns `cluster`
 */
export function keepReconnecting(cluster: Cluster): Cluster {
  const connect = cluster.connect.bind(cluster);
  const disconnect = cluster.disconnect.bind(cluster);
  const quit = cluster.quit.bind(cluster);
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
  // ioredis sets the next status of the client after this event.
  cluster.quit = (...given: Parameters<typeof quit>) => {
    isClosed = true;
    return quit(...given);
  };
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

/** @returns a function whose promise resolves when the client is next ready, and rejects if it is closed first */
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
