/**
 * Watches servers of a Cluster with MONITOR for scripts that use keys with different hash tags. A Cluster refuses the keys
 * that a script declares if they are in several slots, but not those that it computes if they happen to be on one server.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { RedisServer } from './redis-server.ts';

export type SlotWatch = ReturnType<typeof watchSlots>;

const keyPrefix = 'hub:';
/** `+1339518083.107412 [0 127.0.0.1:60866] "keys" "*"`; the source of a script's commands is `lua`. */
const lineForm = /^\+[\d.]+ \[\d+ (\S+)\] (.*)$/;

export function watchSlots(servers: readonly RedisServer[]) {
  /** The keys of each script that used several tags. */
  const crossings: string[][] = [];
  let commands = 0;
  const sockets = servers.map(({ port }) => {
    const socket = connect({ host: '127.0.0.1', port });
    // A killed server ends the stream.
    socket.on('error', () => undefined);
    socket.write('MONITOR\r\n');
    // Scripts do not interleave, and a line of the caller is between those of two scripts.
    let keys = new Set<string>();
    createInterface({ input: socket }).on('line', (line) => {
      const [, source, rest = ''] = lineForm.exec(line) ?? [];
      const words = rest.match(/"(?:[^"\\]|\\.)*"/g)?.map((word) => word.slice(1, -1)) ?? [];
      if (source !== 'lua') {
        if (new Set([...keys].map(tagOf)).size > 1) crossings.push([...keys]);
        keys = new Set();
      } else if (words[0]?.toLowerCase() !== 'publish') {
        commands += 1;
        for (const word of words) if (word.startsWith(keyPrefix)) keys.add(word);
      }
    });
    return socket;
  });
  return {
    commandsOfScripts: () => commands,
    crossings,
    stop: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The part of a key that a Cluster hashes. */
function tagOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}
