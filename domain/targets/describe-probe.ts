import { redactorOf } from './redact-secrets.ts';
import type { TargetCall, TargetOutcome } from './target-call.ts';
import { excerptOf, expectedReply } from './target-protocol.ts';
import type { PreparedProbe } from './prepare-probe.ts';

/** The result of a probe. */
export interface Probe {
  /** Whether an eval run could use the reply. The reply is not graded. */
  readonly ok: boolean;
  /** The HTTP status; null if there was no reply. */
  readonly status: number | null;
  /** Null if there was no reply. */
  readonly latencyMs: number | null;
  readonly replyExcerpt: string | null;
  /** The format of a usable reply. */
  readonly expected: string;
  readonly hint: string;
  /** A target that works, if the given one does not. */
  readonly proposed?: { readonly url: string; readonly protocol: TargetCall['protocol'] };
}

export function describeProbe(
  { call, caseId }: PreparedProbe,
  outcome: TargetOutcome,
  latencyMs: number | null,
): Probe {
  const expected = expectedReply(call.protocol);
  if (outcome.ok) {
    return {
      ok: true,
      status: outcome.status,
      latencyMs: outcome.latencyMs,
      replyExcerpt: excerptOf(redactorOf(call.headers)(outcome.text)),
      expected,
      hint: `A run can use this target. The prompt was the practice case ${caseId}: POST /v1/eval-suite/practice grades the reply.`,
    };
  }
  const { problem, cause } = outcome;
  return {
    ok: false,
    status: cause.status,
    latencyMs: cause.status === null ? null : latencyMs,
    replyExcerpt: cause.excerpt,
    expected,
    hint: `${problem} A run expects ${expected}. Probe again when your agent responds to POST like that.`,
  };
}

/** For a probe whose URL failed, while a longer one of the same server works. */
export function proposeTarget(failed: Probe, { url, protocol }: Pick<TargetCall, 'url' | 'protocol'>): Probe {
  const hint = `The URL lacks the end of its path: ${url} returns ${expectedReply(protocol)}. Use that as \`target.url\`.`;
  return { ...failed, hint, proposed: { url, protocol } };
}

/** For a probe that got no slot because other calls of the hub took them all. */
export function describeBusyTarget({ call }: PreparedProbe): Probe {
  return {
    ok: false,
    status: null,
    latencyMs: null,
    replyExcerpt: null,
    expected: expectedReply(call.protocol),
    hint: 'Other calls of the hub are using all slots at this address, so nothing was sent. Probe again when they are done.',
  };
}
