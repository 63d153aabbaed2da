/** Speaks HTTP byte by byte, for what a well-behaved client would never send. */

/** Writes the parts one after the other on a connection of its own, and gives what came back until it is quiet. */
export async function sendRaw(
  port: number,
  parts: readonly (string | Uint8Array)[],
  options: { readonly pauseMs?: number; readonly waitMs?: number } = {},
): Promise<string> {
  const { pauseMs = 5, waitMs = 20_000 } = options;
  const isHead = String(parts[0]).startsWith('HEAD ');
  let received = '';
  const closed = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, chunk) => {
        received += chunk.toString();
        if (isComplete(received, isHead)) answered.resolve();
      },
      close: () => closed.resolve(),
      error: () => closed.resolve(),
    },
  });
  for (const part of parts) {
    socket.write(part);
    await Bun.sleep(pauseMs);
  }
  await Promise.race([answered.promise, closed.promise, Bun.sleep(waitMs)]);
  socket.end();
  return received;
}

/** Whether the head and as much of a body as it announces are there; the answer to HEAD announces one and has none. */
function isComplete(text: string, isHead: boolean): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  if (isHead) return true;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  return Buffer.byteLength(text.slice(end + 4)) >= Number(length ?? 0);
}
