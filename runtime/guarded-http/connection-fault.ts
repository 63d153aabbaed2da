/** Names the step at which a connection failed, for the owner of the target. */
import type { GuardedFailure } from './outcome.ts';
import { ConnectError, isUntrusted } from './pinned-agent.ts';

export type ConnectionFault = 'dns' | 'refused' | 'tls' | 'timeout';

/** Null for a request that got a response, or for an unknown reason. */
export function connectionFaultOf({ fault, cause }: GuardedFailure): ConnectionFault | null {
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
