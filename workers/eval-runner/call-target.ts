/** Calls the target of a run, with retries where they may help, and reads the reply. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TargetSettings } from '#db/schema/run-tables.ts';
import type { GuardedHttp, TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedFailure } from '#runtime/guarded-http/outcome.ts';
import { withRetries } from '#runtime/guarded-http/with-retries.ts';
import { shortPrompt } from '#domain/targets/prepare-probe.ts';
import type { TargetCall, TargetFault, TargetOutcome } from '#domain/targets/protocol.ts';
import { askTarget } from '#domain/targets/target-call.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type CallTurns, HostAgreed } from '#runtime/turns/target-turns.ts';

export type TargetReply = TargetOutcome & { readonly attempts: number };

/** The longest pause, even if the target asks for more. */
const retryPauseMaxMs = 60_000;
const busyStatuses: ReadonlySet<number> = new Set([429, 503]);
const retriesOf = { busy: 2, broken: 1 };

/** The target of a run. */
export interface RunTarget {
  readonly runId: string;
  readonly url: string;
  readonly settings: Pick<TargetSettings, 'protocol' | 'model' | 'concurrency' | 'timeout_s'>;
  /** Decrypted. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @param position names the call within the run */
export function callTo({ runId, url, settings, headers }: RunTarget, position: string) {
  const { protocol, model, timeout_s: timeoutS } = settings;
  const timeoutMs = timeoutS === null ? null : timeoutS * 1_000;
  return { url, protocol, model, headers, timeoutMs, idempotencyKey: `${runId}-${position}` };
}

interface Introduction extends Pick<ReturnType<typeof shortPrompt>, 'messages'> {
  readonly position: string;
  readonly turn: keyof CallTurns;
}

/**
 * A host that has not agreed to the calls gets a short practice prompt first, so that it never begins with a long one.
 *
 * @param call returns null if it was aborted
 * @returns the fault in the response of the target
 */
export async function introduceHub(
  call: (said: Introduction) => Promise<{ readonly ok: true } | TargetFault | null>,
): Promise<TargetFault | null> {
  try {
    const { messages } = shortPrompt();
    const reply = await call({ messages, position: 'practice', turn: 'takeFirstSlot' });
    return reply === null || reply.ok ? null : reply;
  } catch (error) {
    if (error instanceof HostAgreed) return null;
    throw error;
  }
}

/** @throws the signal's reason when it fires */
export async function callTarget(
  http: GuardedHttp,
  takeSlot: TakeSlot,
  call: TargetCall & { readonly signal: AbortSignal },
): Promise<TargetReply> {
  const { signal } = call;
  return askTarget(call, {
    http,
    send: async (one) => {
      const send = () => http.request({ ...one, signal, takeSlot });
      const outcome = await withRetries(send, { signal, mayRetry, maxPauseMs: retryPauseMaxMs });
      if (!outcome.ok && outcome.fault === 'aborted') signal.throwIfAborted();
      crashPoint('reply.reading');
      return outcome;
    },
    pause: async (ms) => {
      await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
      return ms;
    },
  });
}

/** A busy target gets two retries, a lost connection gets one, and a slow target none. */
function mayRetry(outcome: GuardedFailure, attempts: number): boolean {
  switch (outcome.fault) {
    case 'bad_status':
      if (busyStatuses.has(outcome.status)) return attempts <= retriesOf.busy;
      return outcome.status >= 500 && attempts <= retriesOf.broken;
    case 'unreachable':
      return outcome.retryable && attempts <= retriesOf.broken;
    case 'bad_response':
      return attempts <= retriesOf.broken;
    case 'timeout':
    case 'too_large':
    case 'encoded':
    case 'blocked':
    case 'aborted':
      return false;
  }
}
