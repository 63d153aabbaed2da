/** An SMTP server for tests of outgoing mail. The test sets how it treats messages. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type TestSmtpServer = Awaited<ReturnType<typeof startTestSmtpServer>>;

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

export async function startTestSmtpServer(options: SMTPServerOptions = {}, host = '127.0.0.1') {
  const handlers = {
    /** Called for each complete message, which is accepted unless this throws an SMTP error. */
    onMessage: (): Promise<void> | void => undefined,
    /** Called for each recipient in the same way. */
    onRecipient: (): Promise<void> | void => undefined,
  };
  /** Accepted messages, in order, as received but without the final dot. */
  const taken: { from: string; to: readonly string[]; raw: string }[] = [];
  const sockets = new Set<Socket>();
  let arrived = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    hideSTARTTLS: options.secure !== true && options.key === undefined,
    onRcptTo: (_address, _session, callback) => {
      void answer(
        Promise.try(() => handlers.onRecipient()),
        callback,
      );
    },
    onData: (stream, session, callback) => {
      const receive = async (): Promise<void> => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of stream) chunks.push(chunk as Uint8Array); // A byte stream yields only buffers.
        arrived += 1;
        await handlers.onMessage();
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
  await once(listener, 'listening');
  // A TCP server that listens has a port.
  const { port } = listener.address() as AddressInfo;
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return Object.assign(handlers, {
    /** A value for `SMTP_URL`. */
    url: `${options.secure === true ? 'smtps' : 'smtp'}://localhost:${port}`,
    port,
    taken,
    /** The number of messages received completely, accepted or not. */
    arrived: () => arrived,
    /** Closes all connections. */
    dropAll,
    close: () =>
      new Promise<void>((resolve) => {
        smtp.close(() => resolve());
        dropAll();
      }),
  });
}
