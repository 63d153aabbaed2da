/** A call to a target in its protocol: the requests, and what their outcome means. The caller sends them. */
import { writeExactJson } from '#evals/own-suite/exact-json.ts';
import { readTokenUsage } from '#evals/token-usage.ts';
import type { GuardedHttp, GuardedRequest } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedOutcome } from '#runtime/guarded-http/outcome.ts';
import type { RetriedOutcome } from '#runtime/guarded-http/with-retries.ts';
import type {
  AnyCall,
  Line,
  LineRequest,
  OfRequest,
  Protocol,
  TargetCall,
  TargetFault,
  TargetOutcome,
} from './protocol.ts';
import { protocolOf, protocols } from './protocols.ts';
import { fieldOf, isGiven, parseJson, textOf } from './read-json.ts';
import { redactorOf } from './redact-secrets.ts';
import { faultOf, unreadable } from './target-faults.ts';
import { hasUnreadCall, readCalls, unreadCall } from './tool-calls.ts';

/** Sends requests as the caller limits and retries them. */
export interface Sender {
  readonly http: Pick<GuardedHttp, 'answerTimeoutMs'>;
  send(request: GuardedRequest): Promise<RetriedOutcome>;
  pause(ms: number): Promise<number>;
  note?(problem: string): void;
}

/** @returns the outcome, whose text is as the target sent it, and the most attempts that a request needed */
export async function askTarget(
  call: TargetCall,
  sender: Sender,
): Promise<TargetOutcome & { readonly attempts: number }> {
  const { ask } = protocolOf(call.protocol);
  let attempts = 1;
  const line = lineTo(call, sender, (made) => {
    attempts = Math.max(attempts, made);
  });
  const timeoutMs = call.timeoutMs ?? sender.http.answerTimeoutMs;
  if (typeof ask === 'function') return { ...(await ask({ ...call, timeoutMs }, line)), attempts };
  const { headers = {} } = ask;
  const request = { url: call.url, method: 'POST', headers, body: ask.body(call), timeoutMs } as const;
  return { ...readOutcome(await line.send(request), call), attempts };
}

function lineTo(call: AnyCall, sender: Sender, onAttempts: (made: number) => void): Line {
  return {
    send: async (request) => {
      const made = guardedRequest(call, request);
      const outcome = await sender.send(made);
      onAttempts(outcome.attempts);
      return { ...outcome, sentBytes: Buffer.byteLength(made.body ?? '') };
    },
    pause: (ms) => sender.pause(ms),
    note: (problem) => sender.note?.(problem),
  };
}

/** The headers of a call are secrets for the origin of its URL only. */
function guardedRequest(
  call: AnyCall,
  { url, method, headers = {}, body, timeoutMs }: LineRequest,
): GuardedRequest {
  const isOwn = URL.parse(url)?.origin === URL.parse(call.url)?.origin;
  return {
    url,
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
      ...(isOwn ? lowerCaseNames(call.headers) : {}),
      ...(method === 'POST' ? { 'idempotency-key': call.idempotencyKey } : {}),
    },
    ...(body === undefined ? {} : { body: writeExactJson(body) }),
    answerTimeoutMs: timeoutMs,
  };
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const cutReasons =
  'length max_tokens max_output_tokens model_context_window_exceeded content_filter safety refusal'.split(
    ' ',
  );

/** Why the target ended the reply early, or its error, in the words of any protocol. */
function endOf(value: unknown): { readonly cut?: string | undefined; readonly error?: string } {
  const choices = fieldOf(value, 'choices');
  const first: unknown = Array.isArray(choices) ? choices[0] : value;
  const given =
    fieldOf(first, 'finish_reason') ??
    fieldOf(value, 'stop_reason') ??
    fieldOf(fieldOf(value, 'incomplete_details'), 'reason');
  const reason = typeof given === 'string' ? given.toLowerCase() : '';
  const error = [fieldOf(value, 'error'), fieldOf(first, 'error')].find(isGiven);
  if (error !== undefined || reason === 'error')
    return { error: textOf(fieldOf(error, 'message') ?? error) ?? JSON.stringify(error ?? given) };
  return { cut: cutReasons.find((each) => each === reason) };
}

type ReadCall = Pick<AnyCall, 'url' | 'protocol' | 'headers'> & Pick<TargetCall, 'tools'>;

/** For protocols whose reply is one response. */
export function readOutcome(outcome: GuardedOutcome & Partial<OfRequest>, call: ReadCall): TargetOutcome {
  const protocol = protocolOf(call.protocol);
  const redact = redactorOf(call.headers);
  const { expected, ask } = protocol;
  if (!outcome.ok) return withMissingPath(faultOf(outcome, expected, redact), call);
  const value = parseJson(outcome.body);
  const read = typeof ask === 'function' ? null : ask.read(value);
  const { cut, error } = endOf(value);
  if (error !== undefined && (read === null || 'text' in read))
    return unreadable(outcome, expected, redact, `The reply has an error: ${error}`);
  if (read !== null && 'text' in read) {
    const { status, latencyMs } = outcome;
    const { calls = [], text } = read;
    // Other replies may have anything in this field.
    const isOffered = (call.tools ?? []).length > 0;
    const toolCalls = isOffered ? calls && readCalls(calls, redact) : [];
    if (isOffered && toolCalls?.length === 0 && hasUnreadCall(text ?? ''))
      return unreadable(outcome, expected, redact, unreadCall);
    const hasText = text !== null && (text !== '' || cut === undefined);
    if (toolCalls !== null && (hasText || toolCalls.length > 0)) {
      const usage = readTokenUsage(fieldOf(value, 'usage'));
      const ending = cut === undefined ? {} : { cut };
      return { ok: true, text: text ?? '', usage, toolCalls, ...ending, status, latencyMs };
    }
    // Graders would take nothing for an empty text, which some of them accept.
    if (toolCalls !== null) {
      const why = cut === undefined ? '.' : `: it was cut off ("${cut}").`;
      return withMissingPath(unreadable(outcome, expected, redact, `The reply has no text${why}`), call);
    }
  }
  const problem =
    read === null
      ? problemOfOther(value, protocol, (call.tools ?? []).length > 0)
      : 'problem' in read
        ? read.problem
        : unreadCall;
  return withMissingPath(unreadable(outcome, expected, redact, problem), call);
}

/** Names the protocol of a reply that has the format of another one. */
function problemOfOther(value: unknown, { name }: Protocol, isOffered: boolean): string | undefined {
  const other = protocols.find(
    ({ name: otherName, ask }) => otherName !== name && typeof ask !== 'function' && ask.read(value) !== null,
  );
  if (other === undefined) return undefined;
  // Few agents that speak the hub's own protocol call tools.
  if (isOffered && other.name === 'hub')
    return `The reply is ${other.replyIs}. The call offers tools, so reply as \`${name}\` does.`;
  return `The reply is ${other.replyIs}. Redeem with \`target.protocol\` \`${other.name}\`.`;
}

/**
 * Where a server probably serves a protocol, if the URL is only its base: `…/v1`, or the root.
 * @returns null if the URL is complete
 */
export function fullUrlOf({ url, protocol }: Pick<AnyCall, 'url' | 'protocol'>): string | null {
  const parsed = URL.parse(url);
  const { path: end } = protocolOf(protocol);
  if (parsed === null || end === null) return null;
  const path = parsed.pathname.replace(/(?<!\/)\/+$/, '');
  if (path.endsWith(end)) return null;
  parsed.pathname = `${path === '' ? '/v1' : path}${end}`;
  return parsed.href;
}

/** Adds what is probably wrong with a URL that ends in a version. */
function withMissingPath(fault: TargetFault, call: Pick<AnyCall, 'url' | 'protocol'>): TargetFault {
  const isBase = /\/v\d+\/*$/.test(URL.parse(call.url)?.pathname ?? '') && fullUrlOf(call) !== null;
  if (!isBase || fault.cause.status === null) return fault;
  const { path } = protocolOf(call.protocol);
  return { ...fault, problem: `${fault.problem} The URL seems to lack \`${path}\` at its end.` };
}
