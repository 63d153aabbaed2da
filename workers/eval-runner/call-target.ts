/** Sends one prompt to a target and reads its reply: POST `{"prompt": "…"}`, response `{"text": "…"}`. */
import type { EvalFailureCode } from '#db/schema/eval-tables.ts';
import type { GuardedHttp, TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedFault } from '#runtime/guarded-http/outcome.ts';
import { withRetries } from '#runtime/guarded-http/with-retries.ts';

export interface TargetCall {
  readonly url: string;
  readonly prompt: string;
  /** Contains job and case, so that a target can recognise a repeated call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

export type TargetFaultCode = Exclude<EvalFailureCode, 'deadline_exceeded' | 'internal'>;

export type TargetReply =
  | { readonly ok: true; readonly text: string; readonly latencyMs: number; readonly attempts: number }
  | { readonly ok: false; readonly code: TargetFaultCode; readonly attempts: number };

/** @throws the signal's reason when it fires */
export async function callTarget(
  http: GuardedHttp,
  takeSlot: TakeSlot,
  call: TargetCall,
): Promise<TargetReply> {
  const body = JSON.stringify({ prompt: call.prompt });
  const { url, signal } = call;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'idempotency-key': call.idempotencyKey,
    'user-agent': 'agent-hub-eval',
  };
  const outcome = await withRetries(
    () => http.request({ url, method: 'POST', headers, body, signal, takeSlot }),
    {
      signal,
    },
  );
  const { attempts } = outcome;
  if (!outcome.ok) {
    if (outcome.fault === 'aborted') signal.throwIfAborted();
    return { ok: false, code: codeOf(outcome.fault), attempts };
  }
  const text = readText(outcome.body);
  if (text === null) return { ok: false, code: 'target_bad_response', attempts };
  return { ok: true, text, latencyMs: outcome.latencyMs, attempts };
}

function codeOf(fault: GuardedFault | 'bad_status'): TargetFaultCode {
  switch (fault) {
    case 'unreachable':
      return 'target_unreachable';
    case 'timeout':
    case 'aborted':
      return 'target_timeout';
    case 'blocked':
      return 'target_blocked';
    case 'too_large':
      return 'target_too_large';
    case 'bad_response':
      return 'target_bad_response';
    case 'bad_status':
      return 'target_bad_status';
  }
}

function readText(body: Uint8Array): string | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof value !== 'object' || value === null || !('text' in value)) return null;
    return typeof value.text === 'string' ? value.text : null;
  } catch {
    return null; // Not UTF-8 or not JSON: there is nothing to grade.
  }
}
