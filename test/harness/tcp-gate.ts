/** A TCP relay that can be shut and opened again: what a client sees of a server that goes away and comes back. */
import type { Socket, TCPSocketListener } from 'bun';

export interface TcpGate {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  shut(): void;
  /** Listens again on the same port. */
  open(): void;
  /** Passes nothing on, in either direction, and takes new connections that get no answer: a server that stands still. */
  stall(): void;
  /** Passes on what was held back, and everything after it. */
  resume(): void;
}

interface Relay {
  upstream: Socket | null;
  /** What the client said before the server was reached. */
  early: Uint8Array[];
}

export async function createTcpGate(target: { hostname: string; port: number }): Promise<TcpGate> {
  const clients = new Set<Socket<Relay>>();
  let listener: TCPSocketListener<Relay> | null = null;
  let heldBack: (() => void)[] | null = null;
  /** In order, now or once the gate passes things on again. */
  const pass = (deliver: () => void): void => {
    if (heldBack === null) deliver();
    else heldBack.push(deliver);
  };

  const listen = (port: number): TCPSocketListener<Relay> =>
    Bun.listen<Relay>({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (client) => {
          client.data = { upstream: null, early: [] };
          clients.add(client);
          pass(() => void connect(client));
        },
        data: (client, chunk) => {
          const bytes = Uint8Array.from(chunk);
          pass(() => {
            if (client.data.upstream === null) client.data.early.push(bytes);
            else client.data.upstream.write(bytes);
          });
        },
        close: (client) => {
          clients.delete(client);
          pass(() => client.data.upstream?.end());
        },
        error: () => {},
      },
    });

  const connect = async (client: Socket<Relay>): Promise<void> => {
    const upstream = await Bun.connect({
      ...target,
      socket: {
        data: (_, chunk) => {
          const bytes = Uint8Array.from(chunk);
          pass(() => void client.write(bytes));
        },
        close: () => pass(() => void client.end()),
        error: () => {},
      },
    });
    for (const chunk of client.data.early) upstream.write(chunk);
    client.data.upstream = upstream;
    if (!clients.has(client)) upstream.end();
  };

  listener = listen(0);
  const { port } = listener;
  return {
    port,
    shut: () => {
      listener?.stop(true);
      listener = null;
      for (const client of clients) client.terminate();
    },
    open: () => {
      listener ??= listen(port);
    },
    stall: () => {
      heldBack ??= [];
    },
    resume: () => {
      const deliveries = heldBack ?? [];
      heldBack = null;
      for (const deliver of deliveries) deliver();
    },
  };
}
