/** Passes TCP connections on to another address, which may be a socket in the file system, or the other way round. */
import { once } from 'node:events';
import { connect, createServer, type TcpNetConnectOpts } from 'node:net';

export interface Relay {
  readonly listen: Address;
  /** `localAddress` is the address from which it connects. */
  readonly connect: Address & Pick<TcpNetConnectOpts, 'localAddress'>;
}

export type Address = { readonly path: string } | { readonly host: string; readonly port: number };

/** Resolves when it listens. */
export async function startRelay(relay: Relay): Promise<{ stop(): void }> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ ...relay.connect, allowHalfOpen: true });
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(relay.listen);
  await once(server, 'listening');
  server.unref();
  return { stop: () => void server.close() };
}
