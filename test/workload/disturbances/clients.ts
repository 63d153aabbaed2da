/** Slow, endless and idle clients. */
import { connect, type Socket } from 'node:net';
import type { Disturbance } from './disturbance.ts';

const idleCount = 2_000;
const hostileCount = 50;
const sendEveryMs = 20;
const bodyChunk = Buffer.alloc(16 * 1024, 'a');
const chunkedBodyChunk = Buffer.concat([
  Buffer.from(`${bodyChunk.length.toString(16)}\r\n`),
  bodyChunk,
  Buffer.from('\r\n'),
]);
const head = 'POST /v1/threads HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';

/** Connections that each send `first` with an agent's token, and then `next` for as long as the hub accepts it. */
function hostileClients(
  name: string,
  first: string,
  next: string | Uint8Array | null,
  count = hostileCount,
): Disturbance {
  return {
    name,
    start: async ({ url, population }) => {
      const authorization = `Authorization: Bearer ${population.agents[0]?.bearerToken}\r\n`;
      const port = Number(new URL(url).port);
      const sockets: Socket[] = [];
      for (let opened = 0; opened < count; opened += 1) {
        const socket = connect(port, '127.0.0.1');
        // The hub may close the connection.
        socket.on('error', () => undefined);
        socket.resume();
        if (first !== '') socket.write(first.replace('\r\n', `\r\n${authorization}`));
        sockets.push(socket);
      }
      const timer = setInterval(() => {
        if (next === null) return;
        for (const socket of sockets) if (socket.writable && !socket.writableNeedDrain) socket.write(next);
      }, sendEveryMs);
      return async () => {
        clearInterval(timer);
        for (const socket of sockets) socket.destroy();
      };
    },
  };
}

export const hostileClientKinds: readonly Disturbance[] = [
  hostileClients(`${idleCount} idle connections`, '', null, idleCount),
  hostileClients('clients that send headers byte by byte', head, 'x'),
  hostileClients('clients that send headers without end', head, 'x-more: and more\r\n'),
  hostileClients('clients that send bodies byte by byte', `${head}Content-Length: 60000\r\n\r\n`, 'a'),
  hostileClients(
    'clients that send bodies without end',
    `${head}Transfer-Encoding: chunked\r\n\r\n`,
    chunkedBodyChunk,
  ),
  hostileClients(
    'clients that announce and send more than any body may have',
    `${head}Content-Length: 1000000000\r\n\r\n`,
    bodyChunk,
  ),
];
