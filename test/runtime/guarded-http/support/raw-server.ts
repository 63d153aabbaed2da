/**
 * A TCP server on loopback that responds with exactly the bytes a test gives it, as a hostile target would.
 * Without a script it is a canary: it counts connections and sends nothing.
 */
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** The number of connections accepted so far. */
  readonly connections: number;
  /** The number of open connections. */
  readonly open: number;
  /** Waits up to 20 seconds until this many connections are open; returns the number that are. */
  untilOpen(count: number): Promise<number>;
  /** Everything received, over all connections, in latin1. */
  readonly received: string;
}

/** Called with each complete request (head and declared body). */
export type Script = (socket: Socket, request: string) => void;

export async function startRawServer(
  script: Script = () => {},
  hostname = '127.0.0.1',
  fixedPort = 0,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let received = '';
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    let pending = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      pending += chunk.toString('latin1');
      for (;;) {
        const length = requestLength(pending);
        if (length === null) return;
        const request = pending.slice(0, length);
        pending = pending.slice(length);
        script(socket, request);
      }
    });
    socket.on('end', () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(fixedPort, hostname);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const { port } = address;
  return {
    port,
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}/`,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    async untilOpen(count) {
      for (let wait = 0; wait < 4_000 && sockets.size !== count; wait += 1) await Bun.sleep(5);
      return sockets.size;
    },
    get received() {
      return received;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function requestLength(text: string): number | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const announced = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end + 2))?.[1] ?? '0';
  const length = end + 4 + Number(announced);
  return text.length < length ? null : length;
}
