import { networkOfAgent } from '#runtime/turns/turns.ts';
import { findAgentById } from '../agents/find-agent.ts';
import type { AgentCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { listPracticeCases } from '../runs/grading/practise.ts';
import { checkTarget } from '../runs/read-order.ts';
import { maxPromptTokensDefault, type TargetInput } from '../runs/redemption-input.ts';
import type { TargetCall } from './protocol.ts';
import type { ProtocolName } from './protocols.ts';

/** The hub finds the protocol out if it is null. */
export type ProbedTarget = Omit<TargetInput, 'protocol'> & { readonly protocol: ProtocolName | null };

export interface PreparedProbe {
  readonly call: Omit<TargetCall, 'protocol'>;
  readonly protocol: ProtocolName | null;
  /** On whose behalf the target is called. */
  readonly caller: { readonly network: string; readonly agentId: string; readonly did: string };
  /** The practice case whose prompt is sent. */
  readonly caseId: string;
  /** The longest prompt to try. */
  readonly promptBytes: number;
}

/** A short case with a single turn. */
const probeCaseId = 'practice-word-1';

interface ShortPrompt {
  readonly caseId: string;
  readonly messages: readonly { readonly role: 'user'; readonly content: string }[];
}

/** The practice prompt that introduces the hub to a target. The request with it has less than 4,000 bytes. */
export function shortPrompt(): ShortPrompt {
  const practice = listPracticeCases().find(({ caseId }) => caseId === probeCaseId);
  invariant(practice !== undefined, 'The practice case of probes exists.');
  const messages = practice.turns.map((content) => ({ role: 'user', content }) as const);
  return { caseId: practice.caseId, messages };
}

/** UTF-8 of a token, roughly. */
const bytesPerToken = 3.6;
export function promptBytesOf(tokens: number): number {
  return Math.round(tokens * bytesPerToken);
}

export const sizePromptBegins = 'This is a practice prompt as long as the longest one of a run.';
const filler = ' This sentence only fills the prompt.';

/** A practice prompt of that many bytes, to find out whether a target takes bodies of this size. Null if any would. */
export function sizePrompt(bytes: number): ShortPrompt['messages'] | null {
  if (bytes < smallBytes) return null;
  const end = ' Reply with the word: ready';
  const fills = bytes - sizePromptBegins.length - end.length;
  const filling = filler.repeat(Math.ceil(fills / filler.length)).slice(0, fills);
  return [{ role: 'user', content: `${sizePromptBegins}${filling}${end}` }];
}

/** No server is known to refuse bodies of this size. */
const smallBytes = 16_000;

/**
 * Validates a target before a practice prompt is sent to it.
 * @param promptTokens of the longest prompt that a run may ask
 * @throws DomainError invalid_target_url, invalid_body
 */
export async function prepareProbe(
  ctx: AgentCtx,
  target: ProbedTarget,
  promptTokens: number = maxPromptTokensDefault,
): Promise<PreparedProbe> {
  checkTarget(ctx, target, 'target.url');
  const { caseId, messages } = shortPrompt();
  const { url, protocol, model, headers, timeout_s: timeoutS } = target;
  return {
    protocol,
    call: {
      url,
      model,
      headers,
      timeoutMs: timeoutS === null ? null : timeoutS * 1_000,
      messages,
      idempotencyKey: `probe-${crypto.randomUUID()}`,
    },
    caller: await findCaller(ctx),
    caseId,
    promptBytes: promptBytesOf(promptTokens),
  };
}

/** On whose behalf the acting agent's targets are called. */
export async function findCaller(ctx: AgentCtx): Promise<PreparedProbe['caller']> {
  const agentId = ctx.agent.id;
  const agent = await findAgentById(ctx.db, agentId);
  return { network: networkOfAgent(agent?.network ?? null, agentId), agentId, did: agent?.did ?? '' };
}
