/** Carries out a probe: which protocols are tried at which URLs, one after the other, and what is said about it. */
import { operation } from '../operation.ts';
import { type PreparedProbe, sizePrompt } from './prepare-probe.ts';
import {
  isBeyondReach,
  isBodyLimit,
  type TargetCall,
  type TargetFault,
  type TargetFaultCode,
  type TargetMemory,
  type TargetOutcome,
} from './protocol.ts';
import { protocolNames, protocolOf, protocols, type ProtocolName } from './protocols.ts';
import { excerptOf } from './read-json.ts';
import { redactorOf } from './redact-secrets.ts';
import { fullUrlOf } from './target-call.ts';

/** The requests of one probe, also those of protocols that need several. */
export const probeRequestsMax = 8;

/** The result of a probe. */
export interface Probe {
  /** Whether an eval run could use the reply. The reply is not graded. */
  readonly ok: boolean;
  /** With which a run would fail. Null if it would not, or if nothing was sent. */
  readonly code: TargetFaultCode | null;
  /** The HTTP status; null if there was no reply. */
  readonly status: number | null;
  /** Null if there was no reply. */
  readonly latencyMs: number | null;
  readonly replyExcerpt: string | null;
  /** The format of a usable reply. */
  readonly expected: string;
  readonly hint: string;
  /** What the target speaks; null if that was not found out. */
  readonly protocol: ProtocolName | null;
  /** A target that works, if the given one does not name it. */
  readonly proposed?: Candidate;
}

interface Candidate {
  readonly url: string;
  readonly protocol: ProtocolName;
}

interface Tried extends Candidate {
  readonly outcome: TargetOutcome;
  readonly latencyMs: number;
}

/** @returns null if no further request may be made */
export type AskOnce = (call: TargetCall) => Promise<{ outcome: TargetOutcome; latencyMs: number } | null>;

/**
 * Tries the given protocol, or all of them until one works. A URL that lacks the end of its path is tried with it. A
 * target that works then gets a prompt of the largest size.
 */
export async function runProbe(given: PreparedProbe, ask: AskOnce): Promise<Probe> {
  // An A2A agent's card is fetched once.
  const memory: TargetMemory = {};
  const probe = { ...given, call: { ...given.call, memory } };
  const found = await findProtocol(probe, ask);
  if (!found.ok) return found;
  const messages = sizePrompt(probe.promptBytes);
  const protocol = found.proposed?.protocol ?? found.protocol;
  if (messages === null || protocol === null) return found;
  const { url } = found.proposed ?? probe.call;
  const idempotencyKey = `${probe.call.idempotencyKey}-size`;
  const answer = await ask({ ...probe.call, url, protocol, messages, idempotencyKey });
  return answer === null || answer.outcome.ok
    ? found
    : withFaultOfSize(found, answer.outcome, probe.promptBytes);
}

/** A limit of bodies ends a run. A model that fails at long prompts loses only the cases that have them. */
function withFaultOfSize(found: Probe, fault: TargetFault, bytes: number): Probe {
  const { code, problem, cause } = fault;
  if (isBodyLimit(fault)) {
    const { status, excerpt } = cause;
    const hint = `${problem} A run with prompts of this length would fail. Probe again when the limit is raised.`;
    return { ...found, ok: false, code, status, replyExcerpt: excerpt, hint };
  }
  const note = `A prompt of ${bytes.toLocaleString('en')} bytes failed, though: ${problem}`;
  return { ...found, hint: `${found.hint} ${note}` };
}

async function findProtocol(probe: PreparedProbe, ask: AskOnce): Promise<Probe> {
  const { call, protocol } = probe;
  const candidates = protocol === null ? discoveryOf(call.url) : givenOf({ url: call.url, protocol });
  const tried: Tried[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const key = index === 0 ? call.idempotencyKey : `${call.idempotencyKey}-${index + 1}`;
    const answer = await ask({ ...call, ...candidate, idempotencyKey: key });
    if (answer === null) break;
    tried.push({ ...candidate, ...answer });
    if (answer.outcome.ok || isBeyondReach(answer.outcome)) break;
  }
  const found = tried.find(({ outcome }) => outcome.ok);
  if (protocol !== null) return describeGiven(probe, protocol, tried, found);
  if (found === undefined) {
    const telling = mostTelling(call.url, tried);
    const isReached = telling === undefined || telling.outcome.ok || !isBeyondReach(telling.outcome);
    // The card was asked for, but nobody said that it is an agent with one.
    const protocolMeant = suggestedBy(call.url) ?? 'hub';
    return describe(probe, isReached ? telling : { ...telling, protocol: protocolMeant }, null);
  }
  const { url } = found;
  return {
    ...describe(probe, found, found.protocol),
    proposed: { url: found.protocol === 'a2a' ? call.url : url, protocol: found.protocol },
  };
}

function givenOf(given: Candidate): readonly Candidate[] {
  const url = fullUrlOf(given);
  return url === null ? [given] : [given, { ...given, url }];
}

/** The card of an agent first, then what the path suggests. */
function discoveryOf(url: string): readonly Candidate[] {
  const suggested = suggestedBy(url);
  const others = protocolNames.filter((name) => name !== 'a2a');
  const atUrl = others.map((protocol) => ({ url, protocol }));
  const longer = others.flatMap((protocol) => {
    const full = fullUrlOf({ url, protocol });
    return full === null ? [] : [{ url: full, protocol }];
  });
  const card: Candidate = { url, protocol: 'a2a' };
  if (suggested !== null) {
    return [card, { url, protocol: suggested }, ...atUrl.filter(({ protocol }) => protocol !== suggested)];
  }
  const isBase = /^(?:|.*\/v\d+)\/*$/.test(URL.parse(url)?.pathname ?? '');
  return isBase ? [card, ...longer, ...atUrl] : [card, ...atUrl, ...longer];
}

/** The protocol that the end of the path names. */
function suggestedBy(url: string): ProtocolName | null {
  const path = URL.parse(url)?.pathname.replace(/(?<!\/)\/+$/, '') ?? '';
  const named = protocols.find((one) => one.path !== null && path.endsWith(one.path));
  return protocolNames.find((name) => name === named?.name) ?? null;
}

/**
 * Of failures only: that of the protocol that the path names, that of a card, or the first that is more than a missing
 * page.
 */
function mostTelling(url: string, tried: readonly Tried[]): Tried | undefined {
  const suggested = suggestedBy(url);
  const posted = tried.filter(({ protocol }) => protocol !== 'a2a');
  const isTelling = ({ outcome }: Tried) => !outcome.ok && ![404, 405, null].includes(outcome.cause.status);
  return (
    posted.find(({ protocol }) => protocol === suggested) ??
    tried.find(({ outcome }) => !outcome.ok && outcome.isElsewhere) ??
    posted.find(isTelling) ??
    posted.find(({ protocol }) => protocol === 'hub') ??
    tried[0]
  );
}

function describeGiven(
  probe: PreparedProbe,
  protocol: ProtocolName,
  [first]: readonly Tried[],
  found: Tried | undefined,
): Probe {
  const described = describe(probe, first, found === undefined ? null : protocol);
  if (found === undefined || found === first) return described;
  const { url } = found;
  const hint = `The URL lacks the end of its path: ${url} returns ${protocolOf(protocol).expected}. Use that as \`target.url\`.`;
  return { ...described, hint, proposed: { url, protocol } };
}

function describe(
  { call, caseId, protocol: given }: PreparedProbe,
  tried: Tried | undefined,
  protocol: ProtocolName | null,
): Probe {
  const { expected } = protocolOf(tried?.protocol ?? given ?? 'hub');
  if (tried === undefined) {
    return {
      ok: false,
      code: null,
      status: null,
      latencyMs: null,
      replyExcerpt: null,
      expected,
      hint: 'Nothing was sent. Probe again.',
      protocol,
    };
  }
  const { outcome } = tried;
  if (outcome.ok) {
    return {
      ok: true,
      code: null,
      status: outcome.status,
      latencyMs: outcome.latencyMs,
      replyExcerpt: excerptOf(redactorOf(call.headers)(outcome.text)),
      expected,
      hint: `A run can use this target. The prompt was the practice case ${caseId}: ${operation('practise')} grades the reply.`,
      protocol,
    };
  }
  const { problem, cause, code } = outcome;
  return {
    ok: false,
    code,
    status: cause.status,
    latencyMs: cause.status === null ? null : tried.latencyMs,
    replyExcerpt: cause.excerpt,
    expected,
    hint: `${problem} A run expects ${expected}. Probe again when your agent responds to POST like that.`,
    protocol,
  };
}

/** For a probe that got no slot because other calls of the hub took them all. */
export function describeBusyTarget(probe: PreparedProbe): Probe {
  const hint =
    'Other calls of the hub are using all slots at this address, so nothing was sent. Probe again when they are done.';
  return { ...describe(probe, undefined, null), hint };
}
