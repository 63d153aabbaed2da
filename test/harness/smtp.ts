/** An SMTP server for tests of outgoing mail. The test sets how it treats messages. */
import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As received, without the final dot. */
  readonly raw: string;
}

export interface TestSmtpServer {
  /** A value for `SMTP_URL`. */
  readonly url: string;
  readonly port: number;
  /** Accepted messages, in order. */
  readonly taken: readonly ReceivedMail[];
  /** The number of messages received completely, accepted or not. */
  readonly arrived: () => number;
  /** Called for each complete message, which is accepted unless this throws an SMTP error. */
  onMessage: () => Promise<void> | void;
  /** Called for each recipient in the same way. */
  onRecipient: () => Promise<void> | void;
  /** Closes all connections. */
  dropAll(): void;
  close(): Promise<void>;
}

export function smtpError(responseCode: number, message = 'Not now.'): Error {
  return Object.assign(new Error(message), { responseCode });
}

async function answer(work: Promise<void>, callback: (error?: Error | null) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    callback(error instanceof Error ? error : smtpError(451));
    return;
  }
  callback();
}

export async function startTestSmtpServer(
  options: SMTPServerOptions = {},
  host = '127.0.0.1',
): Promise<TestSmtpServer> {
  const taken: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let arrived = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    hideSTARTTLS: options.secure !== true && options.key === undefined,
    onRcptTo: (_address, _session, callback) => {
      void answer(
        Promise.try(() => server.onRecipient()),
        callback,
      );
    },
    onData: (stream, session, callback) => {
      const receive = async (): Promise<void> => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of stream) chunks.push(chunk as Uint8Array); // A byte stream yields only buffers.
        arrived += 1;
        await server.onMessage();
        taken.push({
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
        });
      };
      void answer(receive(), callback);
    },
    ...options,
  });
  // Tests include clients that disconnect.
  smtp.on('error', () => undefined);
  const listener = smtp.listen(0, host);
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => {
    listener.once('listening', resolve);
  });
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const server: TestSmtpServer = {
    url: `${options.secure === true ? 'smtps' : 'smtp'}://localhost:${port}`,
    port,
    taken,
    arrived: () => arrived,
    onMessage: () => undefined,
    onRecipient: () => undefined,
    dropAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        smtp.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return server;
}
