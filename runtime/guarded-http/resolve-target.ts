/**
 * Resolves the host of a target to addresses that may be connected to. One denied address blocks the whole
 * name: a name with internal and external addresses is an attack or a mistake.
 */
import { unlessAborted, within } from '#runtime/within.ts';
import { normalizeAddress, type AddressPolicy } from './address-policy.ts';
import type { GuardedHttpLimits } from './limits.ts';
import { failed, type GuardedFailure } from './outcome.ts';
import type { ResolveHost } from './resolve-host.ts';
import type { TargetUrl } from './target-url.ts';

export type Resolution = { readonly ok: true; readonly addresses: readonly string[] } | GuardedFailure;

/**
 * Looks up the host within its time limit and checks every address against the policy. The returned
 * addresses, possibly none, are in canonical form.
 */
export async function resolveTarget(
  target: TargetUrl,
  policy: AddressPolicy,
  resolve: ResolveHost,
  limits: GuardedHttpLimits,
  signal: AbortSignal | undefined,
): Promise<Resolution> {
  // The literal was checked when the URL was parsed. Checking again is cheap and covers every way to build
  // the target.
  const refreshed = policy.refresh();
  if (target.literalAddress !== null) {
    await refreshed;
    return checkAddresses([target.literalAddress], target, policy, limits);
  }
  let answers: readonly string[];
  try {
    // A lookup cannot be cancelled. After the timeout it runs on, and its result is ignored.
    answers = await within(
      limits.resolveTimeoutMs,
      unlessAborted(resolve(target.hostname), signal),
      () => new Error(`The lookup took more than ${limits.resolveTimeoutMs} ms.`),
    );
  } catch (error) {
    if (signal?.aborted === true) return failed('aborted', error);
    return failed('unreachable', error, { retryable: !isFinal(error) });
  }
  await refreshed;
  return checkAddresses(answers, target, policy, limits);
}

function checkAddresses(
  answers: readonly string[],
  { hostname, literalAddress }: TargetUrl,
  policy: AddressPolicy,
  limits: GuardedHttpLimits,
): Resolution {
  if (answers.length > limits.maxAddresses) {
    return failed('blocked', new Error(`The name has ${answers.length} addresses.`));
  }
  const addresses = new Set<string>();
  for (const answer of answers) {
    const address = normalizeAddress(answer);
    if (address === null || !policy.permits(address, literalAddress === null ? hostname : undefined)) {
      return failed('blocked', new Error(`The address ${answer} is not permitted.`));
    }
    addresses.add(address);
  }
  return { ok: true, addresses: [...addresses] };
}

/** A missing name stays missing for the next seconds. A slow or failing name server may recover. */
function isFinal(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code; // Errors of `node:dns` have a code.
  return code === 'ENOTFOUND' || code === 'ENODATA';
}
