/**
 * Records the bytes that a client sends to an SMTP server, because the server only shows the parsed result.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface SmtpWire {
  /** A value for `SMTP_URL`. */
  readonly url: string;
  /** Everything sent so far, one character per byte. */
  readonly sent: () => string;
  readonly forget: () => void;
  close(): Promise<void>;
}

export async function startSmtpWire(port: number): Promise<SmtpWire> {
  let sent = '';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(port, '127.0.0.1');
    for (const socket of [client, behind]) {
      sockets.add(socket);
      // Either side may close the connection.
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => {
      sent += chunk.toString('latin1');
    });
    client.pipe(behind);
    behind.pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${own}`,
    sent: () => sent,
    forget: () => {
      sent = '';
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
