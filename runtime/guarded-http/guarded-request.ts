/**
 * The one outbound HTTP client of the hub, for addresses that strangers chose: eval targets, outbound webhooks, checkout.
 * It calls http and https URLs only, checks every address a name resolves to, connects to one that was checked, follows
 * no redirect, uses no proxy, decompresses nothing and bounds everything (`decisions.md` section 5).
 */
import type { AddressPolicy } from './address-policy.ts';
import { addressAndPort, exchange } from './exchange.ts';
import { defaultGuardedHttpLimits, type GuardedHttpLimits } from './limits.ts';
import { failed, type GuardedFailure, type GuardedOutcome } from './outcome.ts';
import { PinnedAgent } from './pinned-agent.ts';
import { resolveTarget, systemResolveHost, type ResolveHost } from './resolve-target.ts';
import { parseTargetUrl, type TargetUrl } from './target-url.ts';

export interface GuardedHttpOptions {
  readonly policy: AddressPolicy;
  readonly limits?: Partial<GuardedHttpLimits>;
  /** How names become addresses; the operating system's way unless given. */
  readonly resolve?: ResolveHost;
  /** PEM certificates to trust instead of the built-in ones, for targets under a private authority. */
  readonly tlsAuthorities?: readonly string[];
}

/**
 * Waits until one more call to this `ip:port` may run, and answers what gives the place back. It may reject when the
 * signal fires.
 */
export type TakeSlot = (address: string, signal: AbortSignal | undefined) => Promise<() => void>;

export interface GuardedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Headers about the connection, the host and the body's length and encoding are set here and cannot be given. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Asked between the look-up and the connection, once for each address tried. */
  readonly takeSlot?: TakeSlot;
}

export interface GuardedHttp {
  /**
   * Makes one try; `withRetries` makes more. Whatever the target does ends in an outcome.
   *
   * @throws {TypeError} for headers that no caller of ours may send (line ends, or names set here): a fault in the hub.
   * Also passes on what `takeSlot` throws, unless the signal has fired.
   */
  request(request: GuardedRequest): Promise<GuardedOutcome>;
  /** Closes kept connections; requests that are running break off. */
  close(): void;
}

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
    async request(request) {
      const body = request.body === undefined ? null : Buffer.from(request.body);
      const given = wireHeaders(request);
      const parsed = parseTargetUrl(request.url, options.policy);
      if (!parsed.ok) return failed('blocked', new Error(parsed.message));
      const { target } = parsed;
      const resolution = await resolveTarget(target, options.policy, resolve, limits, request.signal);
      if (!resolution.ok) return resolution;
      const { method, signal } = request;
      const headers = { ...given, host: target.url.host };
      const call = (address: string, connectTimeoutMs: number) =>
        exchange({
          agent,
          pin: { target, address, connectTimeoutMs, socket: null },
          limits,
          method,
          headers,
          body,
          signal,
        });
      return tryAddresses(
        resolution.addresses.slice(0, limits.maxAddressesTried),
        target,
        limits,
        request,
        call,
      );
    },
    close: () => agent.destroy(),
  };
}

/**
 * Goes on to the next address only while nothing was sent. The time limit for connecting is shared out, so that a dead
 * first address leaves some for the others.
 */
async function tryAddresses(
  addresses: readonly string[],
  target: TargetUrl,
  limits: GuardedHttpLimits,
  { takeSlot, signal }: GuardedRequest,
  call: (address: string, connectTimeoutMs: number) => Promise<GuardedOutcome>,
): Promise<GuardedOutcome> {
  let outcome: GuardedOutcome = failed('unreachable', new Error('The name has no address.'));
  let connectMsLeft = limits.connectTimeoutMs;
  for (const [index, address] of addresses.entries()) {
    const slot = takeSlot
      ? await waitForSlot(takeSlot, addressAndPort(address, target.port), signal)
      : noSlot;
    if (typeof slot !== 'function') return slot;
    const startedAt = performance.now();
    try {
      outcome = await call(address, Math.max(1, connectMsLeft / (addresses.length - index)));
    } finally {
      slot();
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
): Promise<(() => void) | GuardedFailure> {
  try {
    return await takeSlot(address, signal);
  } catch (error) {
    if (signal?.aborted === true) return failed('aborted', error);
    throw error;
  }
}

/**
 * `Headers` refuses line ends and other ways to smuggle a second header in, and makes names comparable. The length of the body
 * is added by `node:http`, which has it whole.
 */
function wireHeaders(request: GuardedRequest): Record<string, string> {
  const headers = new Headers(request.headers);
  for (const name of ownHeaders) {
    if (headers.has(name)) throw new TypeError(`The header ${name} cannot be given.`);
  }
  headers.set('accept-encoding', 'identity');
  if (!headers.has('user-agent')) headers.set('user-agent', 'agent-hub');
  return Object.fromEntries(headers);
}
