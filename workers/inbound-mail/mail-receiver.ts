/**
 * A small SMTP receiver for the inbox. It accepts mail for any address and relays nothing. It has neither TLS
 * nor logins, so it belongs behind the operator's relay or a forwarded port.
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
  /** 0 picks a free port. */
  readonly port: number;
  /** Each connection may hold a whole email in memory. */
  readonly connectionsMax: number;
  /** Total lifetime of one connection, whether or not it is active; ten minutes by default. */
  readonly connectionMaxMs?: number;
}

export interface MailReceiver {
  readonly port: number;
  /** Accepts no more connections, and resolves when the open ones have ended or were cut. */
  close(): Promise<void>;
}

/** Idle time. A client that trickles bytes is cut off by `connectionMaxMs`. */
const socketTimeoutMs = 60_000;
/**
 * Enough for the largest email at 20 kB/s. An email cut off here was not acknowledged, so the relay sends it
 * again.
 */
const connectionMaxMs = 10 * 60_000;
const closeTimeoutMs = 3_000;

/** @throws StartError when the port cannot be opened */
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
      `Cannot receive mail on ${host}, port ${port}: ${cause instanceof Error ? cause.message : String(cause)} Set SMTP_INBOUND_PORT to a free port.`,
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

/** Replies 250 only after the commit. A repeat of a stored mail gets 250 as well. */
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
    if (!(error instanceof DomainError)) logger.error({ err: error }, 'an email could not be stored');
  }
  callback(refusal);
}

/** All mail counts as stored by one network, because it usually comes from one relay. */
const allMail = 'inbound mail';

async function receive(ctx: Ctx, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
  const raw = await collect(stream);
  const { mailFrom, rcptTo } = session.envelope;
  await receiveEmail(
    { ...ctx, network: allMail },
    {
      raw,
      envelope: {
        sender: mailFrom === false ? '' : mailFrom.address,
        recipients: rcptTo.map(({ address }) => address),
      },
    },
  );
}

/** Reads to the end, as SMTP requires, but keeps at most one byte more than the limit. */
async function collect(stream: SMTPServerDataStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let kept = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    // No encoding is set, so the stream yields bytes.
    if (kept > emailBytesMax) continue;
    chunks.push(chunk);
    kept += chunk.byteLength;
  }
  return Buffer.concat(chunks);
}

/** RFC 5321 section 4.2.3: 552 and 554 are permanent, 451 and 452 ask the sender to try again later. */
function refusalOf(error: unknown): Error {
  if (!(error instanceof DomainError)) return withCode(451, 'The mail could not be stored. Try again later.');
  if (error.code === 'rate_limited')
    return withCode(452, 'No more mail can be stored today. Try again later.');
  return withCode(error.code === 'body_too_large' ? 552 : 554, error.message);
}

function withCode(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
