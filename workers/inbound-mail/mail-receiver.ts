/**
 * A small SMTP receiver for the inbox. It takes mail for any address and sends none on, speaks no TLS and knows no users: it
 * stands behind the relay of the operator, or is reached by port forwarding.
 */
import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Ctx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { emailBytesMax, recipientsMax } from '#domain/inbox/inbox-limits.ts';
import { receiveEmail } from '#domain/inbox/receive-email.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { StartError } from '#runtime/process/start-error.ts';

export interface MailReceiverOptions {
  readonly ctx: Ctx;
  readonly logger: Logger;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Each may hold a whole mail in memory. */
  readonly connectionsMax: number;
  /** How long one may take in all, whatever it sends; ten minutes when left out. */
  readonly connectionMaxMs?: number;
}

export interface MailReceiver {
  readonly port: number;
  /** Takes no more connections, and resolves when those under way have ended or were cut. */
  close(): Promise<void>;
}

/** Without a byte. A client that sends one now and then is bounded by the next one. */
const socketTimeoutMs = 60_000;
/** Time for a whole mail at 20 kB a second; what is cut off was not acknowledged, and is sent again. */
const connectionMaxMs = 10 * 60_000;
const closeTimeoutMs = 3_000;

/** @throws StartError when the address cannot be had */
export async function startMailReceiver(options: MailReceiverOptions): Promise<MailReceiver> {
  const { ctx, logger, host, port, connectionsMax } = options;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: emailBytesMax,
    maxRecipients: recipientsMax,
    maxClients: connectionsMax,
    socketTimeout: socketTimeoutMs,
    closeTimeout: closeTimeoutMs,
    onData: (stream, session, callback) => void answer(receive(ctx, stream, session), logger, callback),
  });
  const listening = Promise.withResolvers<void>();
  server.on('error', (err: Error) => {
    logger.debug({ err }, 'a mail connection failed');
    listening.reject(err);
  });
  const listener = server.listen(port, host, () => listening.resolve());
  listener.on('connection', (socket: Socket) => boundConnection(socket, options.connectionMaxMs));
  try {
    await listening.promise;
  } catch (cause) {
    throw new StartError(
      `Mail cannot be received on ${host}, port ${port}: ${cause instanceof Error ? cause.message : String(cause)} Set SMTP_INBOUND_PORT to a free port.`,
      { cause },
    );
  }
  const address = listener.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function boundConnection(socket: Socket, lastsMs = connectionMaxMs): void {
  const timer = setTimeout(() => socket.destroy(), lastsMs);
  socket.once('close', () => clearTimeout(timer));
}

/** 250 only after the mail is committed; a repeat of one that is there is as welcome as the first. */
async function answer(
  receiving: Promise<void>,
  logger: Logger,
  callback: (error?: Error | null) => void,
): Promise<void> {
  let refusal: Error | null = null;
  try {
    await receiving;
  } catch (error) {
    refusal = refusalOf(error);
    if (!(error instanceof DomainError)) logger.error({ err: error }, 'a mail could not be stored');
  }
  callback(refusal);
}

async function receive(ctx: Ctx, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
  const raw = await collect(stream);
  const { mailFrom, rcptTo } = session.envelope;
  await receiveEmail(ctx, {
    raw,
    envelope: {
      sender: mailFrom === false ? '' : mailFrom.address,
      recipients: rcptTo.map(({ address }) => address),
    },
  });
}

/** Reads to the end, as SMTP wants it, and keeps no more than the limit and one byte of it. */
async function collect(stream: SMTPServerDataStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let kept = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    // A stream of bytes, as no encoding was set on it.
    if (kept > emailBytesMax) continue;
    chunks.push(chunk);
    kept += chunk.byteLength;
  }
  return Buffer.concat(chunks);
}

/** RFC 5321 section 4.2.3: 552 and 554 are for good, 451 asks the sender to come again. */
function refusalOf(error: unknown): Error {
  if (!(error instanceof DomainError)) return withCode(451, 'The mail could not be stored; try again later.');
  return withCode(error.code === 'body_too_large' ? 552 : 554, error.message);
}

function withCode(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
