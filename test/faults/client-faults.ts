/** Clients that are slow, dribble, never end or sit idle in numbers, while the others are served as ever. */
import { connect, type Socket } from 'node:net';
import { bothStores, type Fault } from './fault.ts';
import type { FaultWorld } from './world.ts';

const idleCount = 2_000;
const hostileCount = 50;
const dribbleEveryMs = 20;
const bodyChunk = Buffer.alloc(16 * 1024, 'a');

const head = 'POST /v1/threads HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n';

/** Connections that each send `first`, with the token of an agent, and then `next` again and again, for as long as they are taken. */
function hostile(count: number, first: string, next: string | Uint8Array | null): Fault['strike'] {
  return async ({ url, around }: FaultWorld) => {
    const bearer = `Authorization: Bearer ${around.agents[0]?.bearerToken}\r\n`;
    const port = Number(new URL(url).port);
    const sockets: Socket[] = [];
    for (let opened = 0; opened < count; opened += 1) {
      const socket = connect(port, '127.0.0.1');
      // The hub hangs up on them, which is its right.
      socket.on('error', () => undefined);
      socket.resume();
      if (first !== '') socket.write(first.replace('\r\n', `\r\n${bearer}`));
      sockets.push(socket);
    }
    const timer = setInterval(() => {
      if (next === null) return;
      for (const socket of sockets) if (socket.writable && !socket.writableNeedDrain) socket.write(next);
    }, dribbleEveryMs);
    return async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    };
  };
}

const none = { dialects: bothStores, refusals: [] };

export const clientFaults: readonly Fault[] = [
  { name: `${idleCount} connections that say nothing`, ...none, strike: hostile(idleCount, '', null) },
  { name: 'clients whose headers come byte by byte', ...none, strike: hostile(hostileCount, head, 'x') },
  {
    name: 'clients whose headers never end',
    ...none,
    strike: hostile(hostileCount, head, 'x-more: and more\r\n'),
  },
  {
    name: 'clients whose bodies come byte by byte',
    ...none,
    strike: hostile(hostileCount, `${head}Content-Length: 60000\r\n\r\n`, 'a'),
  },
  {
    name: 'clients whose bodies never end',
    ...none,
    strike: hostile(
      hostileCount,
      `${head}Transfer-Encoding: chunked\r\n\r\n`,
      Buffer.concat([Buffer.from(`${bodyChunk.length.toString(16)}\r\n`), bodyChunk, Buffer.from('\r\n')]),
    ),
  },
  {
    name: 'clients that announce more than any body may be, and send it',
    ...none,
    strike: hostile(hostileCount, `${head}Content-Length: 1000000000\r\n\r\n`, bodyChunk),
  },
];
