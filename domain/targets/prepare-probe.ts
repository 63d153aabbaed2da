import { findAgentById, networkOfAgent } from '../agents/find-agent.ts';
import type { AgentCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { listPracticeCases } from '../eval-jobs/practise.ts';
import { checkTarget } from '../runs/read-target.ts';
import type { TargetInput } from '../runs/redemption-input.ts';
import { redactorOf } from './redact-secrets.ts';
import type { TargetCall, TargetOutcome } from './protocol.ts';
import { protocolOf } from './protocols.ts';
import { excerptOf } from './read-json.ts';
import { operation } from '../operation.ts';

export interface PreparedProbe {
  readonly call: TargetCall;
  /** On whose behalf the target is called. */
  readonly caller: { readonly network: string; readonly agentId: string; readonly did: string };
  /** The practice case whose prompt is sent. */
  readonly caseId: string;
}

/** A short case with a single turn. */
const probeCaseId = 'practice-count-1';

interface ShortPrompt {
  readonly caseId: string;
  readonly messages: readonly { readonly role: 'user'; readonly content: string }[];
}

/** The practice prompt that introduces the hub to a target. The request with it has less than 4,000 bytes. */
export function shortPrompt(): ShortPrompt {
  const practice = listPracticeCases().find(({ caseId }) => caseId === probeCaseId);
  invariant(practice !== undefined, 'The practice case of probes exists.');
  const messages = practice.task.turns.map((content) => ({ role: 'user', content }) as const);
  return { caseId: practice.caseId, messages };
}

/**
 * Validates a target before a practice prompt is sent to it.
 * @throws DomainError invalid_target_url, invalid_body
 */
export async function prepareProbe(ctx: AgentCtx, target: TargetInput): Promise<PreparedProbe> {
  checkTarget(ctx, target, 'target.url');
  const { caseId, messages } = shortPrompt();
  const agentId = ctx.agent.id;
  const agent = await findAgentById(ctx.db, agentId);
  const { url, protocol, model, headers, timeoutSeconds } = target;
  return {
    call: {
      url,
      protocol,
      model,
      headers,
      timeoutMs: timeoutSeconds === null ? null : timeoutSeconds * 1_000,
      messages,
      idempotencyKey: `probe-${crypto.randomUUID()}`,
    },
    caller: { network: networkOfAgent(agent?.network ?? null, agentId), agentId, did: agent?.did ?? '' },
    caseId,
  };
}

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
  const { expected } = protocolOf(call.protocol);
  if (outcome.ok) {
    return {
      ok: true,
      status: outcome.status,
      latencyMs: outcome.latencyMs,
      replyExcerpt: excerptOf(redactorOf(call.headers)(outcome.text)),
      expected,
      hint: `A run can use this target. The prompt was the practice case ${caseId}: ${operation('practise')} grades the reply.`,
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
  const hint = `The URL lacks the end of its path: ${url} returns ${protocolOf(protocol).expected}. Use that as \`target.url\`.`;
  return { ...failed, hint, proposed: { url, protocol } };
}

/** For a probe that got no slot because other calls of the hub took them all. */
export function describeBusyTarget({ call }: PreparedProbe): Probe {
  return {
    ok: false,
    status: null,
    latencyMs: null,
    replyExcerpt: null,
    expected: protocolOf(call.protocol).expected,
    hint: 'Other calls of the hub are using all slots at this address, so nothing was sent. Probe again when they are done.',
  };
}
