/**
 * Judges: webhooks of the owner of a suite that grade replies. A call is signed as deliveries are (Standard Webhooks), and
 * calls to one host share the limits of all calls of the hub.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { roundedIn } from '#evals/own-suite/exact-json.ts';
import type { Ungraded, Verdict } from '#evals/own-suite/graders/grader.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedOutcome } from '#runtime/guarded-http/outcome.ts';
import type { AddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { createTargetSlots } from '#runtime/turns/target-slots.ts';
import { claimantOf } from '#runtime/turns/turns.ts';
import { actingAgentColumns, isSuspended } from '../../agents/token-bearers.ts';
import type { Ctx } from '../../context.ts';
import { judgeEvent } from '../../notifications/notification-kinds.ts';
import { fieldOf, parseJson } from '../../targets/read-json.ts';
import { signCall } from '../../webhooks/sign-call.ts';

/** What a judge reads. The agent whose reply it is has no name here. */
export interface JudgedReply {
  readonly suite: string;
  readonly version: string;
  readonly case_id: string;
  readonly trial: number;
  readonly system: string | null;
  readonly messages: readonly object[];
  readonly reply: { readonly text: string; readonly tool_calls: readonly object[] };
}

export interface JudgeRequest {
  readonly webhookId: string;
  /** The same for every attempt, so that the judge can recognise a repeated call. */
  readonly id: string;
  readonly judged: JudgedReply;
}

export interface Judges {
  ask(ctx: Pick<Ctx, 'db'>, request: JudgeRequest): Promise<Verdict | Ungraded>;
  close(): void;
}

export interface JudgesOptions {
  readonly policy: AddressPolicy;
  readonly userAgent?: string;
  readonly redis: Redis;
  readonly logger: Logger;
  readonly secretKey: string;
  /** After the first and the second attempt. */
  readonly pausesMs?: readonly number[];
}

const answerTimeoutMs = 30_000;
const answerBytesMax = 64 * 1024;
/** For all attempts together. */
const judgedInMs = 60_000;
const defaultPausesMs = [1_000, 4_000];
const explanationMax = 2_000;

export function createJudges(options: JudgesOptions): Judges {
  const { policy, userAgent, redis, logger, secretKey, pausesMs = defaultPausesMs } = options;
  const http = createGuardedHttp({
    policy,
    limits: { answerTimeoutMs, maxBodyBytes: answerBytesMax },
    ...(userAgent === undefined ? {} : { userAgent }),
  });
  const slots = createTargetSlots(redis, logger);
  return {
    ask: async (ctx, request) => {
      // One signature for all attempts: they take a minute at most, and receivers accept one for five minutes.
      const now = new Date();
      const found = await findJudge(ctx, request.webhookId, now);
      if (found === null) return { ungraded: `The judge ${request.webhookId} is not an active webhook.` };
      const { webhook, agent } = found;
      const { id, judged: data } = request;
      const call = signCall(secretKey, webhook, { id, type: judgeEvent, at: now, data }, now);
      if (call === null) return { ungraded: 'The hub cannot sign the call to the judge.' };
      const takeSlot = slots.takeLimitedFor(claimantOf(agent));
      const signal = AbortSignal.timeout(judgedInMs);
      const send = () => http.request({ ...call, signal, takeSlot });
      let outcome = await attempt(send);
      for (const pauseMs of pausesMs) {
        if (outcome === null || !mayRetry(outcome) || signal.aborted) break;
        await Bun.sleep(pauseMs);
        outcome = await attempt(send);
      }
      return judgementOf(outcome);
    },
    close: () => http.close(),
  };
}

/** @returns null if it may not be called, as while its agent is suspended */
async function findJudge({ db }: Pick<Ctx, 'db'>, id: string, now: Date) {
  const { agents, webhooks } = db.tables;
  const [found] = await db.query
    .select({ webhook: webhooks, agent: actingAgentColumns(agents) })
    .from(webhooks)
    .innerJoin(agents, eq(agents.id, webhooks.agentId))
    .where(and(eq(webhooks.id, id), isNull(webhooks.deletedAt), isNull(webhooks.disabledAt)));
  if (found?.webhook.state !== 'active' || isSuspended(found.agent, now)) return null;
  return found.webhook.events.includes(judgeEvent) ? found : null;
}

/** @returns null when the time for all attempts is over */
async function attempt(send: () => Promise<GuardedOutcome>): Promise<GuardedOutcome | null> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') return null;
    throw error;
  }
}

/** A judge that refuses the call will refuse it again. */
function mayRetry(outcome: GuardedOutcome): boolean {
  if (outcome.ok) return false;
  return outcome.fault !== 'blocked' && !(outcome.fault === 'bad_status' && outcome.status < 500);
}

function judgementOf(outcome: GuardedOutcome | null): Verdict | Ungraded {
  if (outcome === null) return { ungraded: 'The judge did not answer in time.' };
  if (!outcome.ok) {
    const what = outcome.fault === 'bad_status' ? `status ${outcome.status}` : outcome.fault;
    return { ungraded: `The call to the judge failed: ${what}.` };
  }
  const value = parseJson(outcome.body);
  const [share, said] = [roundedIn(fieldOf(value, 'share')), fieldOf(value, 'explanation')];
  if (share === null || !(share >= 0 && share <= 1))
    return { ungraded: 'The judge did not answer with {"share": 0 to 1, "explanation": "…"}.' };
  const explanation = typeof said === 'string' ? said.slice(0, explanationMax) : '';
  return { share, expected: 'the judge accepts the reply', found: explanation || `share ${share}` };
}
