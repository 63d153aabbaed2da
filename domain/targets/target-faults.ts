/** What is said about a call that failed or whose reply could not be used. None of it has secrets of the target. */
import type { GuardedAnswer, GuardedFailure, GuardedFault } from '#runtime/guarded-http/outcome.ts';
import { type OfRequest, type TargetFault, type TargetFaultCode, tooLargeStatus } from './protocol.ts';
import { excerptOf, unreadableProblem } from './read-json.ts';
import type { Redact } from './redact-secrets.ts';
import { unreadCall } from './tool-calls.ts';
import { ConnectError, isUntrusted } from '#runtime/guarded-http/pinned-agent.ts';

/** Of a reply that arrived. @param problem by default, what its body looks like */
export function unreadable(
  { status, body, headers }: Pick<GuardedAnswer, 'status' | 'body' | 'headers'>,
  expected: string,
  redact: Redact,
  problem?: string,
): TargetFault {
  const received = new TextDecoder().decode(body);
  const cause = { status, connection: null, excerpt: excerptOf(redact(received)), expected };
  return {
    ok: false,
    code: 'target_bad_response',
    problem:
      problem === undefined
        ? unreadableProblem(received, headers['content-type'] ?? '')
        : excerptOf(redact(problem)),
    ...(problem === unreadCall ? { hasUnreadCall: true } : {}),
    cause,
  };
}

/** Of a call without a usable response. */
export function faultOf(
  outcome: GuardedFailure & Partial<OfRequest>,
  expected: string,
  redact: Redact,
): TargetFault {
  const connection = connectionFaultOf(outcome);
  const received = outcome.fault === 'bad_status' ? outcome : outcome.received;
  const [status, excerpt] =
    received === null ? [null, null] : [received.status, bodyExcerpt(received.body, redact)];
  const cause = { status, connection, excerpt, expected };
  const problem =
    outcome.fault === 'bad_status'
      ? statusProblem(outcome.status, outcome.sentBytes)
      : outcome.fault === 'unreachable' && connection !== null
        ? connectionProblems[connection]
        : outcome.fault === 'timeout' && received !== null
          ? "The target's reply began but was not complete in time. Respond without streaming."
          : faultProblems[outcome.fault];
  return { ok: false, code: codeOf(outcome.fault), problem, cause };
}

function statusProblem(status: number, sentBytes = 0): string {
  if (status !== tooLargeStatus) return `The target responded with status ${status}.`;
  const size = sentBytes === 0 ? '' : ` of ${sentBytes.toLocaleString('en')} bytes`;
  const limit = `${Math.max(1, Math.ceil((2 * sentBytes) / bytesPerMegabyte))}mb`;
  return `The target refused the request${size} with status 413, because it accepts only shorter bodies. Raise its limit, for example in Express with \`express.json({ limit: '${limit}' })\` before other body parsers.`;
}

const bytesPerMegabyte = 1_048_576;

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

type ConnectionFault = 'dns' | 'refused' | 'tls' | 'timeout';

/** The step at which a connection failed. Null for a request that got a response, or for an unknown reason. */
function connectionFaultOf({ fault, cause }: GuardedFailure): ConnectionFault | null {
  if (fault === 'timeout') return 'timeout';
  if (fault !== 'unreachable') return null;
  // Without a connection error, the DNS lookup failed.
  if (!(cause instanceof ConnectError)) return 'dns';
  if (isUntrusted(cause.cause)) return 'tls';
  if (!(cause.cause instanceof Error)) return null;
  // Errors of `node:net` have a code.
  const { code, message }: NodeJS.ErrnoException = cause.cause;
  if (code === 'ECONNREFUSED') return 'refused';
  return code === 'ETIMEDOUT' || message.startsWith('No connection within') ? 'timeout' : null;
}
