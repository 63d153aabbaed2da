/** A call to a target: the request, and what its outcome means. The caller sends it. */
import type { RunFailureCode, FailureCause, TargetSettings } from '#db/schema/run-tables.ts';
import { connectionFaultOf } from '#runtime/guarded-http/connection-fault.ts';
import type { GuardedRequest } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedFailure, GuardedFault, GuardedOutcome } from '#runtime/guarded-http/outcome.ts';
import { type Redact, redactorOf } from './redact-secrets.ts';
import {
  excerptOf,
  expectedReply,
  type Message,
  readReply,
  type ReplyFault,
  requestBody,
} from './target-protocol.ts';
import { expectedToolReply, readToolReply, type ToolMessage, type ToolReply } from './tool-calls.ts';

interface AnyCall {
  readonly url: string;
  readonly model: string | null;
  /** The run's own headers, decrypted. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null for the client's own limit. */
  readonly timeoutMs: number | null;
  /** Names the run and the position in it, so that a target can recognise a repeated call. */
  readonly idempotencyKey: string;
}

export interface TargetCall extends AnyCall {
  readonly protocol: TargetSettings['protocol'];
  /** The conversation so far; the last message is the user's. */
  readonly messages: readonly Message[];
}

/** A call to an OpenAI-style target that works with tools. */
export interface ToolTargetCall extends AnyCall {
  readonly messages: readonly ToolMessage[];
  /** Empty for a call that introduces the hub. */
  readonly tools: readonly object[];
}

export type TargetFaultCode = Extract<RunFailureCode, `target_${string}`>;

export type TargetOutcome =
  | {
      readonly ok: true;
      readonly text: string;
      readonly status: number;
      readonly latencyMs: number;
    }
  | TargetFault;

export interface TargetFault {
  readonly ok: false;
  readonly code: TargetFaultCode;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  readonly cause: FailureCause;
}

export function targetRequest(call: TargetCall): GuardedRequest {
  return requestOf(call, requestBody(call));
}

export function toolTargetRequest(call: ToolTargetCall): GuardedRequest {
  const { model, messages, tools } = call;
  return requestOf(
    call,
    JSON.stringify({
      ...(model === null ? {} : { model }),
      messages,
      ...(tools.length === 0 ? {} : { tools }),
    }),
  );
}

function requestOf(call: AnyCall, body: string): GuardedRequest {
  const { url, timeoutMs } = call;
  return {
    url,
    method: 'POST',
    headers: {
      accept: 'application/json',
      ...lowerCaseNames(call.headers),
      'content-type': 'application/json',
      'idempotency-key': call.idempotencyKey,
    },
    body,
    ...(timeoutMs === null ? {} : { answerTimeoutMs: timeoutMs }),
  };
}

const chatPath = '/chat/completions';

/**
 * Where an OpenAI-style server probably serves chats, if the URL is only its base: `…/v1`, or the root.
 * @returns null if the URL is complete
 */
export function chatUrlOf({ url, protocol }: Pick<TargetCall, 'url' | 'protocol'>): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || protocol !== 'openai-chat') return null;
  const path = parsed.pathname.replace(/\/+$/, '');
  if (path.endsWith(chatPath)) return null;
  parsed.pathname = `${path === '' ? '/v1' : path}${chatPath}`;
  return parsed.href;
}

/** Adds what is probably wrong with a URL that ends in a version. */
function withMissingPath(fault: TargetFault, call: Pick<TargetCall, 'url' | 'protocol'>): TargetFault {
  const isBase = /\/v\d+\/*$/.test(URL.parse(call.url)?.pathname ?? '') && chatUrlOf(call) !== null;
  if (!isBase || fault.cause.status === null) return fault;
  return { ...fault, problem: `${fault.problem} The URL seems to lack \`${chatPath}\` at its end.` };
}

/** The text of a usable reply is as the target sent it; what is said about other replies has no secrets. */
export function readOutcome(
  outcome: GuardedOutcome,
  call: Pick<TargetCall, 'url' | 'protocol' | 'headers'>,
): TargetOutcome {
  const read = readAnyOutcome(outcome, call);
  return read.ok ? read : withMissingPath(read, call);
}

function readAnyOutcome(
  outcome: GuardedOutcome,
  { protocol, headers }: Pick<TargetCall, 'protocol' | 'headers'>,
): TargetOutcome {
  const expected = expectedReply(protocol);
  const redact = redactorOf(headers);
  if (!outcome.ok) return faultOf(outcome, expected, redact);
  const { status, latencyMs } = outcome;
  const read = readReply(protocol, outcome.body, outcome.headers['content-type'] ?? '', redact);
  return read.ok ? { ok: true, text: read.text, status, latencyMs } : unreadable(status, read, expected);
}

/** The calls of a reply have no secrets, because they are stored and sent again. */
export function readToolOutcome(
  outcome: GuardedOutcome,
  { url, headers }: Pick<ToolTargetCall, 'url' | 'headers'>,
): ToolReply | TargetFault {
  const redact = redactorOf(headers);
  const call = { url, protocol: 'openai-chat' } as const;
  if (!outcome.ok) return withMissingPath(faultOf(outcome, expectedToolReply, redact), call);
  const read = readToolReply(outcome.body, outcome.headers['content-type'] ?? '', redact);
  return read.ok ? read : withMissingPath(unreadable(outcome.status, read, expectedToolReply), call);
}

function unreadable(status: number, { problem, excerpt }: ReplyFault, expected: string): TargetFault {
  const cause = { status, connection: null, excerpt, expected };
  return { ok: false, code: 'target_bad_response', problem, cause };
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function faultOf(outcome: GuardedFailure, expected: string, redact: Redact): TargetFault {
  const connection = connectionFaultOf(outcome);
  const received = outcome.fault === 'bad_status' ? outcome : outcome.received;
  const [status, excerpt] =
    received === null ? [null, null] : [received.status, bodyExcerpt(received.body, redact)];
  const cause = { status, connection, excerpt, expected };
  const problem =
    outcome.fault === 'bad_status'
      ? `The target responded with status ${outcome.status}.`
      : outcome.fault === 'unreachable' && connection !== null
        ? connectionProblems[connection]
        : outcome.fault === 'timeout' && received !== null
          ? "The target's reply began but was not complete in time. Respond without streaming."
          : faultProblems[outcome.fault];
  return { ok: false, code: codeOf(outcome.fault), problem, cause };
}

/** Error pages often explain the problem, such as a wrong path or a missing key. */
function bodyExcerpt(body: Uint8Array, redact: Redact): string | null {
  const text = redact(new TextDecoder().decode(body).trim());
  return text === '' ? null : excerptOf(text);
}

const connectionProblems = {
  dns: "The target's host name does not resolve.",
  refused: 'The target refused the connection.',
  tls: "The target's certificate cannot be verified, or the port does not serve TLS.",
  timeout: 'The target did not accept the connection in time.',
} as const;

const faultProblems: Readonly<Record<GuardedFault, string>> = {
  unreachable: 'No connection to the target.',
  timeout: 'The target did not respond in time.',
  aborted: 'The call was aborted.',
  blocked: "This hub does not call the target's address.",
  too_large: "The target's reply is larger than 256 KiB.",
  encoded:
    'The reply is compressed, although the request has `accept-encoding: identity`. Send it plain, without `content-encoding`.',
  bad_response: 'The connection was lost, or the reply is not plain HTTP.',
};

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
    case 'encoded':
    case 'bad_response':
      return 'target_bad_response';
    case 'bad_status':
      return 'target_bad_status';
  }
}
