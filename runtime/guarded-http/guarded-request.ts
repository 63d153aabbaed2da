/**
 * The hub's only HTTP client for addresses that strangers chose: eval targets, outbound webhooks, checkout.
 * It calls http and https URLs only, checks every address of a name, connects to a checked address, follows
 * no redirect, uses no proxy, decompresses nothing and bounds everything.
 */
import type { AddressPolicy } from './address-policy.ts';
import { addressAndPort, exchange } from './exchange.ts';
import { defaultGuardedHttpLimits, type GuardedHttpLimits } from './limits.ts';
import { failed, type GuardedFailure, type GuardedOutcome } from './outcome.ts';
import { PinnedAgent } from './pinned-agent.ts';
import { type ResolveHost, systemResolveHost } from './resolve-host.ts';
import { resolveTarget } from './resolve-target.ts';
import { parseTargetUrl, type TargetUrl } from './target-url.ts';

export interface GuardedHttpOptions {
  readonly policy: AddressPolicy;
  readonly limits?: Partial<GuardedHttpLimits>;
  /** Resolves names. Defaults to the operating system's resolver. */
  readonly resolve?: ResolveHost;
  /** PEM certificates to trust instead of the built-in ones, for targets with a private authority. */
  readonly tlsAuthorities?: readonly string[];
  /** Names the hub to the servers that it calls. */
  readonly userAgent?: string;
}

/** The call that a slot is for. */
export interface SlotCall {
  /** The scheme, host and port of the URL. */
  readonly origin: string;
  /** The host name in the URL, in lower case, or its address. */
  readonly host: string;
  /** The size of the request. */
  readonly bytes: number;
}

/**
 * Waits until one more call to the address of this `ip:port` may run, and returns a function that frees the slot. May
 * reject when the signal fires.
 */
export type TakeSlot = (
  address: string,
  signal: AbortSignal | undefined,
  call: SlotCall,
) => Promise<() => void>;

export interface GuardedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /**
   * This client sets the headers for the connection, the host, and the body's length and encoding. Do not
   * pass them.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Overrides the client's limit. */
  readonly answerTimeoutMs?: number;
  /** Connects only to this `ip:port`, and only if the name resolves to it. */
  readonly onlyAddress?: string;
  /** Called between the lookup and the connection, once per address tried, and before the request is sent again. */
  readonly takeSlot?: TakeSlot;
}

export interface GuardedHttp {
  /** The time limit of a request that sets none. */
  readonly answerTimeoutMs: number;
  /**
   * Makes one attempt; `withRetries` makes more. Whatever the target does results in an outcome.
   *
   * @throws {TypeError} for headers that no caller may send (line ends, or headers set here), which is a
   * defect of the hub. Also passes on errors of `takeSlot`, unless the signal has fired.
   */
  request(request: GuardedRequest): Promise<GuardedOutcome>;
  /** Closes kept connections. Running requests are cut off. */
  close(): void;
}

const defaultUserAgent = 'agent-hub';
/** Set by this module for every request. */
const ownHeaders = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

export function createGuardedHttp(options: GuardedHttpOptions): GuardedHttp {
  const limits = { ...defaultGuardedHttpLimits, ...options.limits };
  const agent = new PinnedAgent(limits, options.tlsAuthorities);
  const resolve = options.resolve ?? systemResolveHost;

  return {
    answerTimeoutMs: limits.answerTimeoutMs,
    async request(request) {
      const body = request.body === undefined ? null : Buffer.from(request.body);
      const given = wireHeaders(request, options.userAgent ?? defaultUserAgent);
      const parsed = parseTargetUrl(request.url, options.policy);
      if (!parsed.ok) return failed('blocked', new Error(parsed.message));
      const { target } = parsed;
      const resolution = await resolveTarget(target, options.policy, resolve, limits, request.signal);
      if (!resolution.ok) return resolution;
      const { method, signal, onlyAddress } = request;
      const addresses = resolution.addresses.filter(
        (address) => onlyAddress === undefined || addressAndPort(address, target.port) === onlyAddress,
      );
      const headers = { ...given, host: target.url.host };
      const bytes = sizeOf(headers) + (body?.length ?? 0);
      const call: CallAddress = (address, connectTimeoutMs, beforeResend) =>
        exchange({
          agent,
          pin: { target, address, connectTimeoutMs, socket: null },
          limits:
            request.answerTimeoutMs === undefined
              ? limits
              : { ...limits, answerTimeoutMs: request.answerTimeoutMs },
          method,
          headers,
          body,
          signal,
          beforeResend,
        });
      return tryAddresses(
        addresses.slice(0, limits.maxAddressesTried),
        target,
        limits,
        { ...request, bytes },
        call,
      );
    },
    close: () => agent.destroy(),
  };
}

type CallAddress = (
  address: string,
  connectTimeoutMs: number,
  beforeResend: () => Promise<GuardedFailure | null>,
) => Promise<GuardedOutcome>;

/**
 * Tries the next address only while nothing was sent. The addresses share the time limit for connecting, so
 * that a dead first address leaves time for the others.
 */
async function tryAddresses(
  addresses: readonly string[],
  target: TargetUrl,
  limits: GuardedHttpLimits,
  { takeSlot, signal, bytes }: GuardedRequest & { readonly bytes: number },
  call: CallAddress,
): Promise<GuardedOutcome> {
  let outcome: GuardedOutcome = failed('unreachable', new Error('The name has no address.'));
  let connectMsLeft = limits.connectTimeoutMs;
  for (const [index, address] of addresses.entries()) {
    const slotCall = { origin: target.url.origin, host: target.hostname, bytes };
    const waitForPlace = async () =>
      takeSlot ? waitForSlot(takeSlot, addressAndPort(address, target.port), signal, slotCall) : noSlot;
    let slot = await waitForPlace();
    if (typeof slot !== 'function') return slot;
    const startedAt = performance.now();
    try {
      outcome = await call(address, Math.max(1, connectMsLeft / (addresses.length - index)), async () => {
        // The limit on calls counts this one too.
        if (typeof slot === 'function') slot();
        slot = await waitForPlace();
        return typeof slot === 'function' ? null : slot;
      });
    } finally {
      if (typeof slot === 'function') slot();
    }
    if (outcome.ok || outcome.fault !== 'unreachable') return outcome;
    connectMsLeft -= performance.now() - startedAt;
  }
  return outcome;
}

const noSlot = () => {};

async function waitForSlot(
  takeSlot: TakeSlot,
  address: string,
  signal: AbortSignal | undefined,
  call: SlotCall,
): Promise<(() => void) | GuardedFailure> {
  try {
    return await takeSlot(address, signal, call);
  } catch (error) {
    if (signal?.aborted === true) return failed('aborted', error);
    throw error;
  }
}

/**
 * `Headers` rejects line ends, which could smuggle in a second header, and makes names comparable.
 * `node:http` adds the length of the body.
 */
function wireHeaders(request: GuardedRequest, userAgent: string): Record<string, string> {
  const headers = new Headers(request.headers);
  for (const name of ownHeaders) {
    if (headers.has(name))
      throw new TypeError(`The header ${name} is set by the client and cannot be passed.`);
  }
  headers.set('accept-encoding', 'identity');
  if (!headers.has('user-agent')) headers.set('user-agent', userAgent);
  return Object.fromEntries(headers);
}

function sizeOf(headers: Readonly<Record<string, string>>): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
