/**
 * Opens connections only to addresses that were checked before. Each goes to an IP literal, so no lookup can
 * happen between the check and the connection, and is released for writing only once its remote address was
 * verified. Kept connections are filed under scheme, host, address and port, so a request only reuses one to
 * the address that was checked for this request.
 */
import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

import { within } from '#runtime/within.ts';
import { normalizeAddress } from './address-policy.ts';
import type { GuardedHttpLimits } from './limits.ts';
import type { TargetUrl } from './target-url.ts';

/** The destination of one request. It lives as long as the request. */
export interface Pin {
  readonly target: TargetUrl;
  /** A checked address in canonical form. */
  readonly address: string;
  readonly connectTimeoutMs: number;
  /** The connection that is being opened for this request, so that an abort can close it. */
  socket: Socket | null;
}

/** `http.request` passes these to the agent. */
export interface PinnedRequestArgs extends ClientRequestArgs {
  readonly pin: Pin;
}

/** No connection was established, so nothing was sent. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  /** False when the peer turned out to be the wrong one. */
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean, cause?: unknown) {
    super(message, { cause });
    this.retryable = retryable;
  }
}

type OnCreated = (error: Error | null, socket: Duplex) => void;

export class PinnedAgent extends Agent {
  readonly #limits: GuardedHttpLimits;
  readonly #authorities: readonly string[] | undefined;
  readonly #idle = new Set<Duplex>();

  /** @param authorities PEM certificates to trust instead of the built-in ones */
  constructor(limits: GuardedHttpLimits, authorities: readonly string[] | undefined) {
    const keepAlive = limits.idleTimeoutMs !== 0;
    super({ keepAlive, ...(keepAlive && { timeout: limits.idleTimeoutMs }) });
    this.#limits = limits;
    this.#authorities = authorities;
  }

  override getName(options?: ClientRequestArgs): string {
    return pinName(pinOf(options));
  }

  override createConnection(options: ClientRequestArgs, onCreated?: OnCreated): undefined {
    const pin = pinOf(options);
    const socket = this.#dial(pin);
    pin.socket = socket;
    void this.#handOver(socket, pin, onCreated);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // At run time the base class returns whether the target's Keep-Alive header allows reuse. Its type says
    // void.
    const mayKeep: unknown = super.keepSocketAlive(socket);
    if (mayKeep === false || this.#idle.size >= this.#limits.maxIdleConnections) return false;
    this.#idle.add(socket);
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#idle.delete(socket);
    super.reuseSocket(socket, request);
  }

  /** Closes kept connections of this pin, so that the next request opens a new one. */
  dropIdle(pin: Pin): void {
    for (const socket of this.freeSockets[pinName(pin)] ?? []) socket.destroy();
  }

  async #handOver(socket: Socket, pin: Pin, onCreated: OnCreated | undefined): Promise<void> {
    try {
      await untilReady(socket, pin);
    } catch (cause) {
      // A socket may report several errors while it closes. Without a listener they would end the process.
      socket.on('error', () => {}).destroy();
      // `node:http` ignores the second parameter when there is an error, although its type requires one.
      onCreated?.(connectError(cause), socket);
      return;
    }
    socket.once('close', () => this.#idle.delete(socket));
    onCreated?.(null, socket);
  }

  #dial({ target, address }: Pin): Socket {
    const options = { host: address, port: target.port, lookup: refuseToLookUp, noDelay: true };
    if (!target.secure) return connectTcp(options);
    return connectTls({
      ...options,
      // An IP literal has no server name. Its certificate is checked against `host`.
      servername: isIP(target.hostname) === 0 ? target.hostname : '',
      // Explicit, because an environment variable could turn it off otherwise.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      ...(this.#authorities && { ca: [...this.#authorities] }),
    });
  }
}

function pinName({ target, address }: Pin): string {
  return `${target.url.protocol}//${target.hostname}|${address}|${target.port}`;
}

/** `node:http` passes the arguments of the request to the agent, and only `exchange.ts` uses this agent. */
function pinOf(options: ClientRequestArgs | undefined): Pin {
  return (options as PinnedRequestArgs).pin;
}

/**
 * Resolves when the connection may be written to, including its certificate, or rejects with the reason why
 * not. Later errors of the socket are the request's to handle.
 */
function untilReady(socket: Socket, { target, address, connectTimeoutMs }: Pin): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket
    .once('error', reject)
    .once('close', () => reject(new Error('The connection was closed before it was ready.')))
    .once(target.secure ? 'secureConnect' : 'connect', () => {
      // The last check before anything is written to the connection.
      const reached = normalizeAddress(String(socket.remoteAddress));
      if (reached === address) resolve();
      else reject(new ConnectError(`Connected to ${reached} instead of ${address}.`, false));
    });
  return within(connectTimeoutMs, promise, () => new Error(`No connection within ${connectTimeoutMs} ms.`));
}

function connectError(cause: unknown): ConnectError {
  if (cause instanceof ConnectError) return cause;
  // Certificate errors do not go away on retry.
  return new ConnectError('Cannot connect.', !isUntrusted(cause), cause);
}

export function isUntrusted(cause: unknown): boolean {
  const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException; // Errors of `node:tls` have a code.
  return /CERT|ALTNAME|ISSUER|SELF_SIGNED|SIGNATURE|UNABLE_TO|SSL|TLS/.test(code);
}

const refuseToLookUp: LookupFunction = (hostname, _options, done) => {
  done(new Error(`A connection to a checked address tried to look up ${hostname}.`), '');
};
