/** Sends one command to a Redis server over its socket, without a client library. */
import { createConnection } from 'node:net';

export type RedisAnswer =
  | { readonly kind: 'line'; readonly line: string }
  /** Nothing listens. */
  | { readonly kind: 'absent' }
  /** The server does not reply, or hangs up. */
  | { readonly kind: 'silent' };

/** Sends one command and returns the first line of the reply. Never throws. */
export function askRedis(
  socketPath: string,
  command: 'PING' | 'SHUTDOWN',
  timeoutMs: number,
): Promise<RedisAnswer> {
  return new Promise((resolve) => {
    let received = '';
    let connected = false;
    const socket = createConnection({ path: socketPath });
    const answer = (value: RedisAnswer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(value);
    };
    const timer = setTimeout(() => answer({ kind: 'silent' }), timeoutMs);
    socket.on('connect', () => {
      connected = true;
      socket.write(`${command}\r\n`);
    });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n');
      if (end !== -1) answer({ kind: 'line', line: received.slice(0, end) });
    });
    socket.on('error', () => answer({ kind: connected ? 'silent' : 'absent' }));
    socket.on('close', () => answer({ kind: connected ? 'silent' : 'absent' }));
  });
}
