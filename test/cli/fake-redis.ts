/** Servers that stand in for a Redis that hangs, refuses or is too old to be installed here. */
const info = 'redis_version:5.0.14\r\nloading:0\r\n';

/** What a Redis of version 5 says of itself. */
export const tooOld = `$${info.length}\r\n${info}\r\n`;

/** Replies the same to every command, also to pipelined ones, or never. @returns host and port */
export function redisThat(says: string | null): string {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket, chunk) => {
        // Each command is an array that begins with `*` and its length on a separate line.
        const commands = chunk.toString('latin1').match(/^\*\d+\r$/gm)?.length ?? 0;
        if (says !== null) socket.write(says.repeat(commands));
      },
    },
  });
  // It does not keep the process of the tests running.
  server.unref();
  return `127.0.0.1:${server.port}`;
}
