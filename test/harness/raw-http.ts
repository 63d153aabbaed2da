/** Sends raw bytes over HTTP connections, for requests that no correct client sends. */

/**
 * Sends the parts in sequence on a new connection, each once it is there. @returns everything received until the connection is idle
 */
export async function sendRaw(
  port: number,
  parts: readonly (string | Uint8Array | Promise<string>)[],
  options: { readonly pauseMs?: number; readonly waitMs?: number; readonly answers?: number } = {},
): Promise<string> {
  const { pauseMs = 5, waitMs = 20_000, answers = 1 } = options;
  const isHead = String(await parts[0]).startsWith('HEAD ');
  let received = '';
  const closed = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, chunk) => {
        received += chunk.toString();
        if (countAnswers(received, isHead) >= answers) answered.resolve();
      },
      close: () => closed.resolve(),
      error: () => closed.resolve(),
    },
  });
  for (const part of parts) {
    let rest = Buffer.from(await part);
    while (rest.length > 0 && socket.readyState === 1) {
      // Writes as much as fits into the socket buffer.
      rest = rest.subarray(Math.max(socket.write(rest), 0));
      await Bun.sleep(rest.length > 0 ? 1 : pauseMs);
    }
  }
  await Promise.race([answered.promise, closed.promise, Bun.sleep(waitMs)]);
  socket.end();
  return received;
}

/** Counts complete responses. A response to HEAD announces a body but has none. */
function countAnswers(text: string, isHead: boolean): number {
  const rest = Buffer.from(text);
  let start = 0;
  for (let count = 0; ; count += 1) {
    const end = rest.indexOf('\r\n\r\n', start);
    if (end === -1) return count;
    const head = rest.toString('latin1', start, end);
    start = end + 4 + (isHead ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0));
    if (start > rest.length) return count;
  }
}
