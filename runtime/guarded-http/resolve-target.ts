/**
 * Turns the host of a target into the addresses that may be connected to. One denied address among them refuses the
 * whole name: a name that points inside as well as outside is an attack or a mistake.
 */
import { lookup } from 'node:dns/promises';

import { within } from '#runtime/within.ts';
import { normalizeAddress, type AddressPolicy } from './address-policy.ts';
import type { GuardedHttpLimits } from './limits.ts';
import { failed, type GuardedFailure } from './outcome.ts';
import type { TargetUrl } from './target-url.ts';

/** Answers every address of a name, in the order to try them. It rejects as `node:dns` does. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

export type Resolution = { readonly ok: true; readonly addresses: readonly string[] } | GuardedFailure;

/** The operating system's view: hosts file and name servers. On Linux Bun does this without blocking a thread. */
export const systemResolveHost: ResolveHost = async (hostname) => {
  const records = await lookup(hostname, { all: true, order: 'verbatim' });
  return records.map((record) => record.address);
};

/**
 * Looks the host up, within its time limit, and checks every answer against the policy. The addresses that come back,
 * which may be none, are in normal form and can be connected to as they are.
 */
export async function resolveTarget(
  target: TargetUrl,
  policy: AddressPolicy,
  resolve: ResolveHost,
  limits: GuardedHttpLimits,
  signal: AbortSignal | undefined,
): Promise<Resolution> {
  // The literal was checked when the URL was parsed; checking again costs little and holds whoever built the target.
  if (target.literalAddress !== null) return checkAddresses([target.literalAddress], policy, limits);
  let answers: readonly string[];
  try {
    // A look-up cannot be called back: when time is up it is left to itself, and what it answers later is dropped.
    answers = await within(
      limits.resolveTimeoutMs,
      unlessAborted(resolve(target.hostname), signal),
      () => new Error(`No answer to the look-up in ${limits.resolveTimeoutMs} ms.`),
    );
  } catch (error) {
    if (signal?.aborted === true) return failed('aborted', error);
    return failed('unreachable', error, !isFinal(error));
  }
  return checkAddresses(answers, policy, limits);
}

function checkAddresses(
  answers: readonly string[],
  policy: AddressPolicy,
  limits: GuardedHttpLimits,
): Resolution {
  if (answers.length > limits.maxAddresses) {
    return failed('blocked', new Error(`The name has ${answers.length} addresses.`));
  }
  const addresses = new Set<string>();
  for (const answer of answers) {
    const address = normalizeAddress(answer);
    if (address === null || !policy.permits(address)) {
      return failed('blocked', new Error(`The address ${answer} is not permitted.`));
    }
    addresses.add(address);
  }
  return { ok: true, addresses: [...addresses] };
}

/** A name that does not exist will not exist a second later; a name server that is slow or ill may be well by then. */
function isFinal(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code; // Those of `node:dns` have one.
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: interruption, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new Error('The caller gave up during the look-up.'));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    return await Promise.race([work, interruption]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
