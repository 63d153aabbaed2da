/**
 * Sends one request over a pinned connection and reads the response within all limits: wall-clock time, and
 * bytes of body, headers and wire. Rejects floods of interim responses, encodings and redirects. Never
 * throws; returns an outcome.
 */
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { maxWireBytes, type GuardedHttpLimits } from './limits.ts';
import { badStatus, failed, type GuardedFailure, type GuardedOutcome } from './outcome.ts';
import { ConnectError, type Pin, type PinnedAgent, type PinnedRequestArgs } from './pinned-agent.ts';

export interface ExchangeInput {
  readonly agent: PinnedAgent;
  readonly pin: Pin;
  readonly limits: GuardedHttpLimits;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal | undefined;
  /** Called before the request is sent a second time. A failure ends the exchange. */
  readonly beforeResend?: () => Promise<GuardedFailure | null>;
}

/**
 * Sends the request and reads the response. The target may have closed a kept connection in the meantime. If
 * it breaks before the first byte came back, the request is sent again over a new one (RFC 9112 section
 * 9.3.1).
 */
export async function exchange(input: ExchangeInput): Promise<GuardedOutcome> {
  const startedAt = performance.now();
  const first = new Exchange(input);
  const outcome = await first.run();
  if (!first.metStaleConnection) return outcome;
  input.agent.dropIdle(input.pin);
  // The second attempt gets the time that the first one left. Otherwise a target could double the time of
  // every response.
  const answerTimeoutMs = Math.max(1, input.limits.answerTimeoutMs - (performance.now() - startedAt));
  const refused = (await input.beforeResend?.()) ?? null;
  if (refused !== null) return refused;
  return new Exchange({ ...input, limits: { ...input.limits, answerTimeoutMs } }).run();
}

/**
 * Collects the body of a response in one growing buffer. With a list of chunks, a target that sends one byte
 * at a time would make the hub hold an object per byte.
 */
class BodyBuffer {
  readonly #maxBytes: number;
  #memory = new Uint8Array(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns false and drops the chunk if the body would exceed its limit. */
  append(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#memory.length) {
      const grown = new Uint8Array(Math.min(this.#maxBytes, Math.max(length, 2 * this.#memory.length)));
      grown.set(this.#memory.subarray(0, this.#length));
      this.#memory = grown;
    }
    this.#memory.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }
}

class Exchange {
  readonly #input: ExchangeInput;
  readonly #done = Promise.withResolvers<GuardedOutcome>();
  readonly #startedAt = performance.now();
  readonly #body: BodyBuffer;
  readonly #maxWireBytes: number;
  readonly #onAbort = () => this.#settle(failed('aborted', this.#input.signal?.reason));
  readonly #onWireData = (chunk: Uint8Array) => this.#countWire(chunk.length);
  #request: ClientRequest | null = null;
  #socket: Socket | null = null;
  #timer: Timer | undefined;
  /** The status of a 2xx response that began. */
  #status: number | null = null;
  #wireBytes = 0;
  #bytesReadBefore = 0;
  #interimAnswers = 0;
  #settled = false;
  metStaleConnection = false;

  constructor(input: ExchangeInput) {
    this.#input = input;
    this.#body = new BodyBuffer(input.limits.maxBodyBytes);
    this.#maxWireBytes = maxWireBytes(input.limits);
  }

  run(): Promise<GuardedOutcome> {
    const { agent, pin, limits, method, headers, body, signal } = this.#input;
    if (signal?.aborted === true) return Promise.resolve(failed('aborted', signal.reason));
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    const { url } = pin.target;
    const args: PinnedRequestArgs = {
      agent,
      pin,
      method,
      path: url.pathname + url.search,
      headers,
      maxHeaderSize: limits.maxHeaderBytes,
      insecureHTTPParser: false,
    };
    try {
      this.#send(httpRequest(args), body);
    } catch (error) {
      // Connecting may also fail synchronously, e.g. for a name that TLS cannot carry.
      this.#settle(failed('unreachable', error));
    }
    return this.#done.promise;
  }

  #send(request: ClientRequest, body: Uint8Array | null): void {
    this.#request = request;
    request
      .on('socket', (socket) => this.#onConnected(socket))
      .on('information', () => this.#onInterimAnswer())
      .on('response', (answer) => this.#onAnswer(answer))
      .on('upgrade', (_answer, socket) => {
        socket.destroy();
        this.#fail('bad_response', new Error('The target switched protocols.'));
      })
      .on('error', (error) => this.#onError(error));
    request.end(body ?? undefined);
  }

  #onConnected(socket: Socket): void {
    this.#socket = socket;
    this.#bytesReadBefore = socket.bytesRead;
    const { answerTimeoutMs } = this.#input.limits;
    this.#timer = setTimeout(() => {
      this.#fail('timeout', new Error(`The response was not complete within ${answerTimeoutMs} ms.`));
    }, answerTimeoutMs);
    socket.on('data', this.#onWireData);
  }

  #countWire(length: number): void {
    this.#wireBytes += length;
    if (this.#wireBytes > this.#maxWireBytes) {
      this.#fail('too_large', new Error('The response used too many bytes on the wire.'));
    }
  }

  #onInterimAnswer(): void {
    this.#interimAnswers += 1;
    if (this.#interimAnswers > this.#input.limits.maxInterimAnswers) {
      this.#fail('bad_response', new Error('The target sent too many interim responses.'));
    }
  }

  #onAnswer(answer: IncomingMessage): void {
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) return void this.#settleBadStatus(status, answer);
    this.#status = status;
    const refusal = this.#refusal(answer);
    if (refusal !== null) return this.#settle(refusal);
    if (Number(answer.headers['content-length'] ?? 0) > this.#input.limits.maxBodyBytes)
      return void this.#settleTooLarge(status, answer);
    answer
      .on('data', (chunk: Uint8Array) => {
        if (!this.#body.append(chunk)) this.#fail('too_large', new Error('The body exceeds the limit.'));
      })
      .on('end', () => this.#onComplete(answer))
      .on('error', (error) => this.#fail('bad_response', error))
      .on('close', () => this.#onBrokenOff());
  }

  async #settleBadStatus(status: number, answer: IncomingMessage): Promise<void> {
    // Only the status matters, whenever the body arrives.
    clearTimeout(this.#timer);
    const retryAfter = answer.headers['retry-after'] ?? null;
    const body = isEncoded(answer) ? new Uint8Array() : await readBeginning(answer);
    this.#settle(badStatus(status, retryAfter, body));
  }

  async #settleTooLarge(status: number, answer: IncomingMessage): Promise<void> {
    clearTimeout(this.#timer);
    const received = { status, body: await readBeginning(answer) };
    this.#settle(failed('too_large', new Error('The announced body exceeds the limit.'), { received }));
  }

  /** Judges the head of a 2xx response. The body of a rejected response is not read. */
  #refusal(answer: IncomingMessage): GuardedOutcome | null {
    if (!isEncoded(answer)) return null;
    const received = { status: answer.statusCode ?? 0, body: new Uint8Array() };
    const cause = new Error('The response is compressed although the request asked for a plain one.');
    return failed('encoded', cause, { received });
  }

  #onComplete(answer: IncomingMessage): void {
    if (!answer.complete) return this.#onBrokenOff();
    const { target, address } = this.#input.pin;
    this.#settle({
      ok: true,
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      body: this.#body.bytes(),
      latencyMs: performance.now() - this.#startedAt,
      address: addressAndPort(address, target.port),
    });
  }

  /** Every response closes eventually, so the error is created only when it is needed. */
  #onBrokenOff(): void {
    if (!this.#settled) this.#fail('bad_response', new Error('The response ended early.'));
  }

  #onError(error: Error): void {
    if (error instanceof ConnectError)
      return this.#settle(failed('unreachable', error, { retryable: error.retryable }));
    if (!this.#settled && this.#wasStale(error)) this.metStaleConnection = true;
    this.#fail('bad_response', error);
  }

  /**
   * Whether a kept connection was closed before the first byte of a response. Uses the socket's own count:
   * the parser reads before our listener, and may already have rejected a malformed response.
   */
  #wasStale(error: NodeJS.ErrnoException): boolean {
    const wasClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
    return (
      wasClosed &&
      this.#request?.reusedSocket === true &&
      this.#socket !== null &&
      this.#socket.bytesRead === this.#bytesReadBefore
    );
  }

  #fail(fault: 'timeout' | 'too_large' | 'bad_response', cause: Error): void {
    const received =
      this.#status === null ? null : { status: this.#status, body: beginningOf(this.#body.bytes()) };
    this.#settle(failed(fault, cause, { received }));
  }

  /** Keeps the first outcome. Only a complete response leaves a connection that may be used again. */
  #settle(outcome: GuardedOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#input.signal?.removeEventListener('abort', this.#onAbort);
    this.#socket?.off('data', this.#onWireData);
    if (!outcome.ok) {
      this.#input.pin.socket?.destroy();
      this.#request?.destroy();
      this.#socket?.destroy();
    }
    this.#done.resolve(outcome);
  }
}

/** By its content encoding, or by a transfer encoding other than chunks. */
function isEncoded({ headers }: IncomingMessage): boolean {
  const content = headers['content-encoding'] ?? 'identity';
  const transfer = headers['transfer-encoding'] ?? 'chunked';
  return content.trim().toLowerCase() !== 'identity' || transfer.trim().toLowerCase() !== 'chunked';
}

/** The form in which addresses are logged and counted: `192.0.2.1:80`, `[2001:db8::1]:80`. */
export function addressAndPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Enough for an excerpt. */
const beginningBytes = 2_048;
/** The body of an error usually arrives together with its head. */
const waitMaxMs = 1_000;

function beginningOf(body: Uint8Array): Uint8Array {
  return body.subarray(0, beginningBytes);
}

/** Reads the beginning of a response whose rest does not matter. Never throws, and never waits long for a slow body. */
function readBeginning(answer: IncomingMessage): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const end = (): void => {
    clearTimeout(timer);
    resolve(beginningOf(Buffer.concat(chunks)));
  };
  const timer = setTimeout(end, waitMaxMs);
  answer
    .on('data', (chunk: Uint8Array) => {
      if (length >= beginningBytes) return;
      chunks.push(chunk);
      length += chunk.length;
      if (length >= beginningBytes) end();
    })
    .on('end', end)
    .on('error', end)
    .on('close', end);
  return promise;
}
